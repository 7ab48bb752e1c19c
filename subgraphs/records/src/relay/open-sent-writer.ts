import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../background/create-wakeable.js';
import { saveSent, type OutboxAck } from '../store/channels/delivery.js';

/** Writes down how far outboxes were sent, where the acknowledgement does not follow at once. */
export interface SentWriter extends Closable {
  /** Notes what was sent; a later note of the same adaptor replaces it. */
  add(sent: OutboxAck): void;
  /** What is acknowledged need not be written as sent. */
  acknowledged(ack: OutboxAck): void;
}

/** An acknowledgement within this time makes the note needless. */
const patienceMs = 250;

/**
 * One statement for all adaptors, at most four times a second: the light that it throws on a stalled adaptor must not slow
 * the others. What could not be written is written with the next note. Closing writes nothing more.
 */
export const openSentWriter = ({ database, log }: { readonly database: Database; readonly log: Log }): SentWriter => {
  const pending = new Map<string, OutboxAck>();
  const closing = new AbortController();

  const writeAll = async (): Promise<void> => {
    while (pending.size > 0 && !closing.signal.aborted) {
      await delay(patienceMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted) return;
      const sent = [...pending.values()];
      if (sent.length === 0) return;
      pending.clear();
      await saveSent(database.pool, sent).catch((error: unknown) =>
        log.warn({ err: error }, 'what was sent to adaptors could not be written down'),
      );
    }
  };
  const writing = createWakeable(writeAll, (error) => log.error({ err: error }, 'the notes of what was sent failed'));

  return {
    add: (sent) => {
      pending.set(sent.adaptorUuid, sent);
      writing.wake();
    },
    acknowledged: ({ adaptorUuid, epoch, upto }) => {
      const sent = pending.get(adaptorUuid);
      if (sent !== undefined && (sent.epoch !== epoch || sent.upto <= upto)) pending.delete(adaptorUuid);
    },
    close: async () => {
      closing.abort();
      await writing.settle();
    },
  };
};
