import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '@fds/database';
import { loadChannels } from '../../store/channels/channel.js';

/** Waits while adaptors have many messages to apply, as long as they apply some. */
export type RoomWait = (adaptorUuids: readonly string[]) => Promise<void>;

/** Messages that wait in front of other traffic to an adaptor. */
const maxWaiting = 256;
const pollMs = 20;
const stalledMs = 2_000;

/** For one job. @param signal ends the wait */
export const createRoomWait = (pool: Database['pool'], signal: AbortSignal): RoomWait => {
  /** The number of acknowledged messages at which the adaptors stood still. */
  let stalledAt: number | undefined;
  return async (adaptorUuids) => {
    let [before, progressAt] = [-1, performance.now()];
    while (!signal.aborted) {
      const channels = [...(await loadChannels(pool, adaptorUuids)).values()];
      const waiting = channels.filter(({ downSequence, downAcked }) => downSequence - downAcked > maxWaiting);
      const acked = waiting.reduce((sum, { downAcked }) => sum + downAcked, 0);
      if (waiting.length === 0 || stalledAt === acked) return;
      if (acked !== before) [before, progressAt] = [acked, performance.now()];
      else if (performance.now() - progressAt > stalledMs) {
        stalledAt = acked;
        return;
      }
      await wait(pollMs, undefined, { signal }).catch(() => undefined);
    }
  };
};
