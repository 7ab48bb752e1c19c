import type { SocketLimits } from './socket-limits.js';

/** Operations of one socket in progress, and characters of answers that its client has not read. */
export interface SocketFlow {
  /** The socket also counts for this caller from now on. */
  ownedBy(callerUuid: string): void;
  /** May the socket start another operation? If not, `retry` is called when the result may have changed. */
  mayStart(retry: () => void): boolean;
  started(): void;
  ended(): void;
  /** Call it when an answer is sent. */
  sending(characters: number): void;
  /** Call it when the operating system has accepted an answer, or the answer is dropped. */
  sent(characters: number): void;
  /** Call it when the socket is closed. Its operations may still end later. Idempotent. */
  close(): void;
}

/** Counts operations and unread answers of each socket, of each caller, and of all together. */
export interface AnswerFlow {
  openSocket(): SocketFlow;
}

interface Load {
  operations: number;
  unread: number;
}

interface CallerLoad extends Load {
  readonly uuid: string;
  sockets: number;
}

type FlowLimits = Pick<
  SocketLimits,
  'maxOperations' | 'maxOperationsPerCaller' | 'maxUnread' | 'maxUnreadPerCaller' | 'maxUnreadInAll'
>;

export const createAnswerFlow = (limits: FlowLimits): AnswerFlow => {
  const all: Load = { operations: 0, unread: 0 };
  const callers = new Map<string, CallerLoad>();
  const waiting = new Set<() => void>();

  const wake = (): void => {
    if (waiting.size === 0) return;
    const retries = [...waiting];
    waiting.clear();
    for (const retry of retries) retry();
  };

  return {
    openSocket: () => {
      const own: Load = { operations: 0, unread: 0 };
      let caller: CallerLoad | undefined;
      let isOpen = true;
      const forgetIdle = (): void => {
        if (caller !== undefined && caller.sockets + caller.operations + caller.unread === 0)
          callers.delete(caller.uuid);
      };
      const add = (operations: number, unread: number): void => {
        for (const load of caller === undefined ? [own, all] : [own, all, caller]) {
          load.operations += operations;
          load.unread += unread;
        }
        forgetIdle();
      };
      return {
        ownedBy: (uuid) => {
          if (caller !== undefined || !isOpen) return;
          caller = callers.get(uuid) ?? { uuid, sockets: 0, operations: 0, unread: 0 };
          callers.set(uuid, caller);
          caller.sockets += 1;
          caller.operations += own.operations;
          caller.unread += own.unread;
        },
        mayStart: (retry) => {
          const free =
            own.operations < limits.maxOperations &&
            own.unread < limits.maxUnread &&
            all.unread < limits.maxUnreadInAll &&
            (caller === undefined ||
              (caller.operations < limits.maxOperationsPerCaller && caller.unread < limits.maxUnreadPerCaller));
          if (!free) waiting.add(retry);
          return free;
        },
        started: () => add(1, 0),
        ended: () => {
          add(-1, 0);
          wake();
        },
        sending: (characters) => add(0, characters),
        sent: (characters) => {
          add(0, -characters);
          wake();
        },
        close: () => {
          if (!isOpen) return;
          isOpen = false;
          if (caller !== undefined) caller.sockets -= 1;
          forgetIdle();
        },
      };
    },
  };
};
