import type { Queryable } from '@fds/database';

/** Figures of the whole deployment that records own. */
export interface RecordFigures {
  /** The messages that adaptors have not acknowledged. Adaptors without one are left out. */
  readonly queues: readonly {
    readonly adaptorUuid: string;
    readonly messages: number;
    readonly oldestSeconds: number;
  }[];
  /** Open issues by adaptor and exception. Events that only wait behind an issue are none. */
  readonly issues: readonly {
    readonly adaptorUuid: string | null;
    readonly exception: string;
    readonly count: number;
  }[];
  readonly reconciliations: Readonly<Record<string, number>>;
  /** Messages that adaptors have, or had acknowledged, and that the restored database does not remember. */
  readonly behindMessages: number;
}

const loadQueues = async (session: Queryable): Promise<RecordFigures['queues']> => {
  const { rows } = await session.query<{ uuid: string; messages: bigint; seconds: number | null }>({
    name: 'records-figures-queues',
    text: `SELECT c.adaptor_uuid AS uuid, c.down_sequence - c.down_acked AS messages,
                  extract(epoch FROM now() - d.date_created)::float8 AS seconds
           FROM adaptor_channel c JOIN adaptor a ON a.uuid = c.adaptor_uuid
           LEFT JOIN LATERAL (
             SELECT date_created FROM delivery
             WHERE adaptor_uuid = c.adaptor_uuid AND sequence > c.down_acked ORDER BY sequence LIMIT 1
           ) d ON true
           WHERE c.down_sequence > c.down_acked`,
  });
  return rows.map(({ uuid, messages, seconds }) => ({
    adaptorUuid: uuid,
    messages: Number(messages),
    oldestSeconds: Math.max(0, seconds ?? 0),
  }));
};

const loadIssues = async (session: Queryable): Promise<RecordFigures['issues']> => {
  const { rows } = await session.query<{ uuid: string | null; exception: string; count: bigint }>({
    name: 'records-figures-issues',
    text: `SELECT adaptor_uuid AS uuid, coalesce(exception, 'OTHER') AS exception, count(*) AS count FROM data_issue
           WHERE status = 'OPEN' AND cause IS DISTINCT FROM 'HELD' GROUP BY 1, 2`,
  });
  return rows.map(({ uuid, exception, count }) => ({ adaptorUuid: uuid, exception, count: Number(count) }));
};

const loadReconciliations = async (session: Queryable): Promise<RecordFigures['reconciliations']> => {
  const { rows } = await session.query<{ status: string; count: bigint }>({
    name: 'records-figures-reconciliations',
    text: 'SELECT status, count(*) AS count FROM reconciliation GROUP BY status',
  });
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
};

const loadBehind = async (session: Queryable): Promise<number> => {
  const { rows } = await session.query<{ readonly messages: number }>({
    name: 'records-figures-behind',
    text: `SELECT coalesce(sum(greatest(0, missing_up) + greatest(0, missing_down)), 0)::float8 AS messages
           FROM hub_gap WHERE issue_uuid IS NOT NULL`,
  });
  return rows[0]?.messages ?? 0;
};

/** Reads the figures, in one statement for each kind. */
export const loadRecordFigures = async (session: Queryable): Promise<RecordFigures> => {
  const [queues, issues, reconciliations, behindMessages] = await Promise.all([
    loadQueues(session),
    loadIssues(session),
    loadReconciliations(session),
    loadBehind(session),
  ]);
  return { queues, issues, reconciliations, behindMessages };
};
