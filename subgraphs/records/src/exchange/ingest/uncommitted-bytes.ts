import { maxUnacknowledgedBytes } from '@fds/adaptor-protocol';

/** Bytes of the events that were taken from adaptors and are not committed. */
export interface UncommittedBytes {
  hasRoomFor(adaptorUuid: string, bytes: number): boolean;
  /** Counts the bytes until the promise settles. It must not reject. */
  hold(adaptorUuid: string, bytes: number, settled: Promise<unknown>): void;
}

/** Most bytes of all adaptors together: four adaptors with a full window, or a thousand with 256 KiB each. */
const defaultTotalBytes = 4 * maxUnacknowledgedBytes;

/**
 * Bounds the bytes of each adaptor and of all adaptors together. An adaptor without uncommitted events has room for one message
 * even when the total is reached, so no adaptor starves. Adaptors without uncommitted events take no memory.
 */
export const createUncommittedBytes = (maxTotalBytes = defaultTotalBytes): UncommittedBytes => {
  const bytesOf = new Map<string, number>();
  let totalBytes = 0;
  const add = (adaptorUuid: string, bytes: number): void => {
    totalBytes += bytes;
    const sum = (bytesOf.get(adaptorUuid) ?? 0) + bytes;
    if (sum === 0) bytesOf.delete(adaptorUuid);
    else bytesOf.set(adaptorUuid, sum);
  };
  return {
    hasRoomFor: (adaptorUuid, bytes) => {
      const own = bytesOf.get(adaptorUuid);
      return own === undefined || (own + bytes <= maxUnacknowledgedBytes && totalBytes + bytes <= maxTotalBytes);
    },
    hold: (adaptorUuid, bytes, settled) => {
      add(adaptorUuid, bytes);
      void settled.then(() => add(adaptorUuid, -bytes));
    },
  };
};
