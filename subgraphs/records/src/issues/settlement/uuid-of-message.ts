import { createHash } from 'node:crypto';
import { v7 } from 'uuid';

/** A message of an adaptor as the envelope names it. */
export interface AdaptorMessage {
  /** Unique among the adaptor's messages. */
  readonly id: string;
  readonly time: Date;
}

const latestMs = 2 ** 48 - 1;

/**
 * The UUID (version 7) of a message's effect: the same for every process and every repetition, so that the database keeps
 * the effect once. From the message's time, so that later effects have later uuids.
 */
export const uuidOfMessage = (adaptorUuid: string, { id, time }: AdaptorMessage): string => {
  const digest = createHash('sha256').update(`${adaptorUuid} ${id}`).digest();
  const msecs = Math.min(Math.max(0, time.getTime()), latestMs);
  return v7({ msecs, seq: digest.readUInt32BE(16), random: digest.subarray(0, 16) });
};
