import type { OpsAnswer } from '@fds/adaptor-protocol';
import type { Database } from '@fds/database';
import type { Questions } from '../bus/create-questions.js';
import type { AdaptorState } from '../domain/adaptors/adaptor-state.js';
import { webhookTypeName } from '@fds/webhook-client';

interface HostedRow {
  readonly state: AdaptorState;
  /** Milliseconds since a living process began to run the adaptor; null when none runs it. */
  readonly uptime: number | null;
  readonly received: bigint;
}

const findHosted = async ({ pool }: Database, adaptorUuid: string): Promise<HostedRow | undefined> => {
  const { rows } = await pool.query<HostedRow>(
    `SELECT a.state, coalesce(c.down_acked, 0) AS received,
            CASE WHEN l.expires_at > clock_timestamp()
              THEN floor(extract(epoch FROM clock_timestamp() - l.acquired_at) * 1000)::float8 END AS uptime
     FROM adaptor a JOIN adaptor_type t ON t.uuid = a.adaptor_type_uuid AND t.name = $2
     LEFT JOIN adaptor_channel c ON c.adaptor_uuid = a.uuid LEFT JOIN relay_lease l ON l.adaptor_uuid = a.uuid
     WHERE a.uuid = $1`,
    [adaptorUuid, webhookTypeName],
  );
  return rows[0];
};

const well: ReadonlySet<AdaptorState> = new Set(['STARTING', 'STARTED', 'PAUSING', 'PAUSED']);

/**
 * Answers questions to adaptors that the service runs from the database, so that any process can answer. Other
 * questions are sent over the bus. Such an adaptor has no process that could be shut down, so SHUTDOWN is not
 * acknowledged.
 */
export const createHostedAnswers = (database: Database, questions: Pick<Questions, 'ask'>): Pick<Questions, 'ask'> => ({
  ask: async (adaptorUuid, requestId, question): Promise<OpsAnswer | undefined> => {
    const hosted = await findHosted(database, adaptorUuid);
    if (hosted === undefined) return questions.ask(adaptorUuid, requestId, question);
    const { operation } = question;
    const answer = { requestId, operation, accepted: operation !== 'SHUTDOWN' } as const;
    if (operation === 'METRICS') {
      return { ...answer, metrics: { sent: 0, received: Number(hosted.received), timeZone: 'UTC' } };
    }
    const isUp = hosted.uptime !== null && well.has(hosted.state);
    const health = isUp ? { status: 'UP', uptime: hosted.uptime } : { status: 'DOWN', uptime: 0 };
    return operation === 'HEALTH' ? { ...answer, health: health as NonNullable<OpsAnswer['health']> } : answer;
  },
});
