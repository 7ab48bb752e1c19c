import type { SocketLimits } from './socket-limits.js';

/** The registration of one socket. */
export interface SocketPlace {
  /**
   * Call it when the socket has signed in as the caller. @returns false when the caller has the maximum number of
   * sockets
   */
  signIn(callerUuid: string): boolean;
  /** True until `signIn`. */
  readonly pending: boolean;
  /** Call it when the socket is closed. Idempotent. */
  leave(): void;
}

/** FULL: there are too many sockets. ADDRESS_FULL: too many sockets of this address have not signed in. */
export type SocketRefusal = 'FULL' | 'ADDRESS_FULL';

/** Counts all sockets, by address until they sign in and by caller afterwards. */
export interface SocketRegister {
  enter(address: string): SocketPlace | SocketRefusal;
}

const change = (counts: Map<string, number>, key: string, by: number): void => {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
};

type RegisterLimits = Pick<SocketLimits, 'maxSockets' | 'maxSocketsPerCaller' | 'maxPending' | 'maxPendingPerAddress'>;

export const createSocketRegister = (limits: RegisterLimits): SocketRegister => {
  const pendingOf = new Map<string, number>();
  const socketsOf = new Map<string, number>();
  let sockets = 0;
  let pending = 0;

  return {
    enter: (address) => {
      if (sockets >= limits.maxSockets || pending >= limits.maxPending) return 'FULL';
      if ((pendingOf.get(address) ?? 0) >= limits.maxPendingPerAddress) return 'ADDRESS_FULL';
      let state: 'PENDING' | 'SIGNED_IN' | 'GONE' = 'PENDING';
      let caller: string | undefined;
      sockets += 1;
      pending += 1;
      change(pendingOf, address, 1);
      const settle = (next: 'SIGNED_IN' | 'GONE'): void => {
        if (state === 'PENDING') {
          pending -= 1;
          change(pendingOf, address, -1);
        }
        state = next;
      };
      return {
        get pending() {
          return state === 'PENDING';
        },
        signIn: (callerUuid) => {
          if (state !== 'PENDING') return false;
          if ((socketsOf.get(callerUuid) ?? 0) >= limits.maxSocketsPerCaller) return false;
          caller = callerUuid;
          change(socketsOf, callerUuid, 1);
          settle('SIGNED_IN');
          return true;
        },
        leave: () => {
          if (state === 'GONE') return;
          settle('GONE');
          sockets -= 1;
          if (caller !== undefined) change(socketsOf, caller, -1);
        },
      };
    },
  };
};
