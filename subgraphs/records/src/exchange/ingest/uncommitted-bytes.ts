import { maxHeldBytes } from '@fds/adaptor-protocol';

/** Bytes of each adaptor's events that were taken and are not committed. */
export interface UncommittedBytes {
  hasRoomFor(adaptorUuid: string, bytes: number): boolean;
  /** Counts the bytes until the promise settles. It must not reject. */
  hold(adaptorUuid: string, bytes: number, settled: Promise<unknown>): void;
}

/** Adaptors without such events take no memory. */
export const createUncommittedBytes = (): UncommittedBytes => {
  const bytesOf = new Map<string, number>();
  const add = (adaptorUuid: string, bytes: number): void => {
    const sum = (bytesOf.get(adaptorUuid) ?? 0) + bytes;
    if (sum === 0) bytesOf.delete(adaptorUuid);
    else bytesOf.set(adaptorUuid, sum);
  };
  return {
    hasRoomFor: (adaptorUuid, bytes) => (bytesOf.get(adaptorUuid) ?? 0) + bytes <= maxHeldBytes,
    hold: (adaptorUuid, bytes, settled) => {
      add(adaptorUuid, bytes);
      void settled.then(() => add(adaptorUuid, -bytes));
    },
  };
};
