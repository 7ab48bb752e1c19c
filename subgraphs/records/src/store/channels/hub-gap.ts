import { binaryArray, type Queryable, type SqlSession } from '@fds/database';
import type { ErrorCause } from '@fds/errors';
import { stringifyJson } from '@fds/json';
import type { MissingMessages } from '../../domain/missing-messages.js';

/** The gap of an adaptor, as it is stored. */
export interface HubGap extends MissingMessages {
  /** The issue, while it is open. */
  readonly issueUuid: string | null;
}

/** Locks the gap of an adaptor. The channel of the adaptor is locked. */
export const lockGap = async (client: SqlSession, adaptorUuid: string): Promise<HubGap | undefined> => {
  const { rows } = await client.query<HubGap>({
    name: 'records-lock-gap',
    text: `SELECT g.missing_up::float8 AS up, g.missing_down::float8 AS down, i.uuid AS "issueUuid"
           FROM hub_gap g LEFT JOIN data_issue i ON i.uuid = g.issue_uuid AND i.status = 'OPEN'
           WHERE g.adaptor_uuid = $1 FOR UPDATE OF g`,
    values: [adaptorUuid],
  });
  return rows[0];
};

export const saveGap = async (
  client: SqlSession,
  adaptorUuid: string,
  { up, down, issueUuid }: HubGap,
): Promise<void> => {
  await client.query({
    name: 'records-save-gap',
    text: `INSERT INTO hub_gap (adaptor_uuid, issue_uuid, missing_up, missing_down) VALUES ($1, $2, $3, $4)
           ON CONFLICT (adaptor_uuid) DO UPDATE SET issue_uuid = excluded.issue_uuid, missing_up = excluded.missing_up,
             missing_down = excluded.missing_down`,
    values: [adaptorUuid, issueUuid, up, down],
  });
};

/** Sets the counts and the explanation of an issue HUB_BEHIND. */
export const describeGap = async (
  client: SqlSession,
  issueUuid: string,
  { errors, description }: { readonly errors: readonly ErrorCause[]; readonly description: string },
): Promise<void> => {
  await client.query({
    name: 'records-describe-gap',
    text: 'UPDATE data_issue SET errors = $2, description = $3, last_updated = now() WHERE uuid = $1',
    values: [issueUuid, stringifyJson(errors), description],
  });
};

/** Messages that were sent again, by adaptor: its own, and those to it that result from the messages of others. */
export interface ResentMessages {
  readonly up: ReadonlyMap<string, number>;
  readonly down: ReadonlyMap<string, number>;
}

/**
 * Counts messages that were sent again. A destination may be counted before its own hello shows that it has them. No statement
 * without any.
 */
export const countResent = async (client: SqlSession, { up, down }: ResentMessages): Promise<void> => {
  const adaptorUuids = [...new Set([...up.keys(), ...down.keys()])].sort();
  if (adaptorUuids.length === 0) return;
  await client.query({
    name: 'records-count-resent',
    text: `INSERT INTO hub_gap AS g (adaptor_uuid, missing_up, missing_down)
           SELECT n.uuid, 0, -n.down FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS n(uuid, up, down)
           ON CONFLICT (adaptor_uuid) DO UPDATE SET missing_down = g.missing_down + excluded.missing_down,
             missing_up = greatest(0, g.missing_up - (SELECT n.up FROM unnest($1::uuid[], $2::bigint[]) AS n(uuid, up)
                                                      WHERE n.uuid = g.adaptor_uuid))`,
    values: [
      binaryArray.uuid(adaptorUuids),
      binaryArray.int8(adaptorUuids.map((uuid) => up.get(uuid) ?? 0)),
      binaryArray.int8(adaptorUuids.map((uuid) => down.get(uuid) ?? 0)),
    ],
  });
};

/**
 * Removes the gaps that are closed or that a person has settled, and counts of adaptors that never showed a gap.
 *
 * @returns the issues of those that are closed
 */
export const removeClosedGaps = async (client: Queryable): Promise<readonly string[]> => {
  const { rows } = await client.query<{ readonly issue_uuid: string }>(
    `WITH removed AS (
       DELETE FROM hub_gap g
       WHERE (g.issue_uuid IS NOT NULL AND g.missing_up <= 0 AND g.missing_down <= 0)
          OR (g.issue_uuid IS NULL AND g.date_created < now() - interval '7 days')
          OR NOT EXISTS (SELECT FROM data_issue i WHERE i.uuid = g.issue_uuid AND i.status = 'OPEN')
             AND g.issue_uuid IS NOT NULL
       RETURNING issue_uuid
     ) SELECT issue_uuid FROM removed WHERE issue_uuid IS NOT NULL`,
  );
  return rows.map(({ issue_uuid }) => issue_uuid);
};

/** The number of the outbox up to which messages were sent, or were queued before a time. */
export const loadRemembered = async (client: SqlSession, adaptorUuid: string, before: Date): Promise<number> => {
  const { rows } = await client.query<{ readonly upto: number }>({
    name: 'records-load-remembered',
    text: `SELECT greatest(c.down_sent, c.down_acked, (
             SELECT max(d.sequence) FROM delivery d
             WHERE d.adaptor_uuid = c.adaptor_uuid AND d.sequence > c.down_acked AND d.date_created < $2
           ))::float8 AS upto FROM adaptor_channel c WHERE c.adaptor_uuid = $1`,
    values: [adaptorUuid, before],
  });
  return rows[0]?.upto ?? 0;
};
