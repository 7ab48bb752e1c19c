import { binaryArray, type SqlSession } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { IssueCause, RaisedIssue } from '../../domain/events/event-outcome.js';
import type { Queryable } from '../channels/channel.js';

/** An event that waits with its issue. */
export interface HeldEvent {
  readonly issueUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  /** Hexadecimal, of the key that it was held under. */
  readonly keyDigest: string;
  /** JSON text of the event as it came. */
  readonly dataEvent: string;
}

/**
 * Events that wait for a cause, and those behind them, in the order in which they came.
 *
 * @param after the last one of the page before
 */
export const loadHeldEvents = async (
  client: Queryable,
  cause: IssueCause,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<HeldEvent[]> => {
  const { rows } = await client.query<HeldEvent>({
    name: 'records-load-held-events',
    text: `SELECT i.uuid AS "issueUuid", i.adaptor_uuid AS "adaptorUuid", i.domain_version_uuid AS "domainVersionUuid",
                  encode(i.key_digest, 'hex') AS "keyDigest", i.data_event AS "dataEvent"
           FROM data_issue i
           WHERE i.status = 'OPEN' AND i.uuid > $2::uuid AND i.cause IN ($1, 'HELD')
             AND i.key_digest IS NOT NULL AND i.data_event IS NOT NULL
             AND (i.cause = $1 OR EXISTS (
               SELECT FROM data_issue head
               WHERE head.adaptor_uuid = i.adaptor_uuid AND head.domain_version_uuid = i.domain_version_uuid
                 AND head.key_digest = i.key_digest AND head.status = 'OPEN' AND head.cause <> 'HELD'
                 AND head.cause = $1))
           ORDER BY i.uuid LIMIT $3`,
    values: [cause, after ?? '00000000-0000-0000-0000-000000000000', limit],
  });
  return rows;
};

/** Locks issues and tells which of them are still open. */
export const lockOpenIssues = async (client: SqlSession, uuids: readonly string[]): Promise<ReadonlySet<string>> => {
  if (uuids.length === 0) return new Set();
  const { rows } = await client.query<{ readonly uuid: string }>({
    name: 'records-lock-open-issues',
    text: `SELECT uuid FROM data_issue WHERE uuid = ANY ($1::uuid[]) AND status = 'OPEN' ORDER BY uuid FOR UPDATE`,
    values: [binaryArray.uuid(uuids)],
  });
  return new Set(rows.map(({ uuid }) => uuid));
};

/** Closes issues whose events went on. */
export const closeIssues = async (client: SqlSession, uuids: readonly string[]): Promise<void> => {
  if (uuids.length === 0) return;
  await client.query({
    name: 'records-close-issues',
    text: `UPDATE data_issue SET status = 'CLOSED', last_updated = now(), change_version = change_version + 1
           WHERE uuid = ANY ($1::uuid[])`,
    values: [binaryArray.uuid(uuids)],
  });
};

/** Issues whose events cannot go on for another reason than before. */
export const renameIssues = async (client: SqlSession, issues: readonly RaisedIssue[]): Promise<void> => {
  if (issues.length === 0) return;
  await client.query({
    name: 'records-rename-issues',
    text: `UPDATE data_issue i SET title = n.title, exception = n.exception, match_status = n.match_status,
             cause = n.cause, errors = n.errors, last_updated = now(), change_version = change_version + 1
           FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
             AS n(uuid, title, exception, match_status, cause, errors)
           WHERE i.uuid = n.uuid`,
    values: [
      issues.map(({ uuid }) => uuid),
      issues.map(({ title }) => title),
      issues.map(({ exception }) => exception),
      issues.map(({ matchStatus }) => matchStatus),
      issues.map(({ cause }) => cause),
      issues.map(({ errors }) => stringifyJson(errors)),
    ],
  });
};

/** Issues that hold back keys of adaptors as `<adaptor>:<version>:<digest>`: the first so many of each, as they were raised. */
export const loadOpenIssues = async (
  client: SqlSession,
  keys: readonly { readonly adaptorUuid: string; readonly domainVersionUuid: string; readonly keyDigest: string }[],
  limit: number,
): Promise<Map<string, string[]>> => {
  if (keys.length === 0) return new Map();
  const { rows } = await client.query<{ readonly held: string; readonly issues: string[] }>({
    name: 'records-load-open-issues',
    text: `SELECT w.adaptor_uuid || ':' || w.version_uuid || ':' || encode(w.digest, 'hex') AS held,
                  array_agg(i.uuid ORDER BY i.uuid) AS issues
           FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])) AS w(adaptor_uuid, version_uuid, digest)
           CROSS JOIN LATERAL (
             SELECT o.uuid FROM data_issue o
             WHERE o.adaptor_uuid = w.adaptor_uuid AND o.domain_version_uuid = w.version_uuid
               AND o.key_digest = w.digest AND o.status = 'OPEN'
             ORDER BY o.uuid LIMIT $4
           ) i
           GROUP BY 1`,
    values: [
      binaryArray.uuid(keys.map((key) => key.adaptorUuid)),
      binaryArray.uuid(keys.map((key) => key.domainVersionUuid)),
      binaryArray.bytea(keys.map((key) => key.keyDigest)),
      limit,
    ],
  });
  return new Map(rows.map(({ held, issues }) => [held, issues]));
};
