import type { ServerBus } from '@fds/adaptor-bus';
import { buildMessage, serverSource } from '@fds/adaptor-protocol';
import type { Database } from '@fds/database';
import { forgetRefusals, loadRefusals } from '../../store/issues/refusal-notices.js';

export interface RefusalNoticeDependencies {
  readonly database: Database;
  readonly bus: ServerBus;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** Notices of refused events that adaptors have not acknowledged (docs/protocols/adaptor-bus.md#fdsrefusedv1-on-downops-fdsrefusedackv1-on-upops). */
export interface RefusalNotices {
  /** Sends the oldest notices of the adaptor again, each once. Rejects when the bus or the database is away. */
  readonly repeat: (adaptorUuid: string) => Promise<void>;
  /** The adaptor has taken the notices of these issues. Unknown ones, and those of other adaptors, have no effect. */
  readonly acknowledged: (adaptorUuid: string, issueUuids: readonly string[]) => Promise<void>;
}

/** A START must not flood an adaptor that has been away, or one that acknowledges no notices. */
const maxRepeated = 256;

/** Works on the database alone, so that the process which hears `up/ops` need not run the records part. */
export const createRefusalNotices = ({ database, bus, now, newUuid }: RefusalNoticeDependencies): RefusalNotices => ({
  repeat: async (adaptorUuid) => {
    for (const data of await loadRefusals(database.pool, adaptorUuid, maxRepeated)) {
      const envelope = { id: newUuid(), source: serverSource, time: now().toISOString() };
      await bus.publish(adaptorUuid, 'ops', buildMessage('down/ops', { ...envelope, type: 'fds.refused.v1', data }));
    }
  },
  acknowledged: (adaptorUuid, issueUuids) => forgetRefusals(database.pool, adaptorUuid, issueUuids),
});
