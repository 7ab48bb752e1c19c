import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import { saveSent, type OutboxAck } from '../../store/channels/delivery.js';

/** Writes down how far outboxes were sent, where the acknowledgement does not follow at once. */
export interface SentWriter extends Closable {
  /** Notes what was sent; a later note of the same adaptor replaces it. */
  add(sent: OutboxAck): void;
  /** An acknowledged message need not be stored as sent. */
  acknowledged(ack: OutboxAck): void;
}

/** An acknowledgement within this time makes the note needless. */
const patienceMs = 250;

/**
 * One statement for all adaptors, at most four times a second: the light that it throws on a stalled adaptor must not slow
 * the others. A note that could not be stored is stored with the next one. Closing writes nothing more.
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
        log.warn({ err: error }, 'cannot store the record of sent messages'),
      );
    }
  };
  const writing = createWakeable(writeAll, (error) =>
    log.error({ err: error }, 'storing the notes of sent messages failed'),
  );

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
