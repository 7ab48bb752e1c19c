import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import { saveAcks, type OutboxAck } from '../../store/channels/delivery.js';

/** Writes acknowledgements down, those of all adaptors together, one statement at a time. */
export interface AckWriter extends Closable {
  /** Notes an acknowledgement; it replaces an earlier one of the same adaptor. */
  add(ack: OutboxAck): void;
  /** Waits until the noted positions are written. */
  settle(): Promise<void>;
}

const retryMs = 200;

/** Closing waits for the statement in flight; adaptors repeat the acknowledgements that it could not write. */
export const openAckWriter = ({ database, log }: { readonly database: Database; readonly log: Log }): AckWriter => {
  const pending = new Map<string, OutboxAck>();
  const closing = new AbortController();

  const writeAll = async (): Promise<void> => {
    while (pending.size > 0) {
      const acks = [...pending.values()];
      try {
        await saveAcks(database.pool, acks);
        for (const ack of acks) if (pending.get(ack.adaptorUuid) === ack) pending.delete(ack.adaptorUuid);
      } catch (error) {
        log.warn({ err: error }, 'acknowledgements of adaptors could not be written, will repeat');
        if (closing.signal.aborted) return;
        await delay(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  };
  const writing = createWakeable(writeAll, (error) => log.error({ err: error }, 'the acknowledgements failed'));

  return {
    add: (ack) => {
      const noted = pending.get(ack.adaptorUuid);
      if (noted !== undefined && noted.epoch === ack.epoch && noted.upto >= ack.upto) return;
      pending.set(ack.adaptorUuid, ack);
      writing.wake();
    },
    settle: () => writing.settle(),
    close: async () => {
      closing.abort();
      await writing.settle();
    },
  };
};
