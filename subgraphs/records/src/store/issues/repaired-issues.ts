import type { RepeatedReport } from '../../domain/events/event-outcome.js';
import type { LaterMessage } from '../../domain/issues/repaired-by.js';
import { decodeKnown, type StoredContent } from '../known-content/known-content-codec.js';
import { binaryArray, type Queryable, type SqlSession } from '@fds/database';
import { logIssues } from './log-issues.js';

/** An open issue of exception ADAPTOR, with the later events and messages of its record. */
export interface RepairableIssue {
  readonly uuid: string;
  /** JSON text of the failed message. Only where the record has a later history. */
  readonly dataEvent: string | null;
  /** The names of the properties that the adaptor still lacks, as far as the server knows. */
  readonly lacks: readonly string[];
  /** Properties that could not be applied, as the adaptor named them; none: it named none. */
  readonly failedProperties: readonly string[];
  /** Transaction of an event by which the adaptor reported the record since, also without a change. Null: it reported none. */
  readonly reported: string | null;
  /** Later messages of the record that the adaptor applied wholly, the newest first. */
  readonly applied: readonly LaterMessage[];
}

/** Later messages of a record that are compared. */
const maxLater = 20;

/**
 * A page of open issues of exception ADAPTOR, the oldest first. Each table is read by the keys of the issue alone (`OFFSET 0`): without
 * statistics of a new table, PostgreSQL would read all messages of the adaptor for each event.
 */
export const loadRepairable = async (
  client: Queryable,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly RepairableIssue[]> => {
  const { rows } = await client.query<Omit<RepairableIssue, 'lacks'> & { readonly known: StoredContent | null }>({
    name: 'records-load-repairable',
    text: `SELECT i.uuid, CASE WHEN a.applied IS NOT NULL OR r.transaction_uuid IS NOT NULL OR i.repeated_by IS NOT NULL
                    THEN i.data_event END AS "dataEvent",
                  CASE WHEN i.event_uuid IS NOT NULL THEN k.known END AS known,
                  coalesce(i.failed_properties, '{}') AS "failedProperties",
                  coalesce(r.transaction_uuid, i.repeated_by) AS reported,
                  coalesce(a.applied, '[]') AS applied
           FROM (SELECT * FROM data_issue
                 WHERE status = 'OPEN' AND cause = 'ADAPTOR'
                   AND uuid > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
                 ORDER BY uuid LIMIT $2) i
           LEFT JOIN LATERAL (
             SELECT l.record_uuid FROM record_link l
             WHERE i.record_uuid IS NULL AND l.domain_version_uuid = i.domain_version_uuid
               AND l.adaptor_uuid = i.adaptor_uuid AND l.key_digest = i.row_digest LIMIT 1 OFFSET 0
           ) w ON true
           LEFT JOIN LATERAL (
             SELECT e.transaction_uuid FROM data_event e
             WHERE e.record_uuid = coalesce(i.record_uuid, w.record_uuid) AND e.source_adaptor_uuid = i.adaptor_uuid
               AND e.date_created > i.date_created LIMIT 1 OFFSET 0
           ) r ON true
           LEFT JOIN LATERAL (
             SELECT json_agg(json_build_object('transactionUuid', m.transaction_uuid, 'action', m.action,
                                               'content', encode(m.content, 'hex'))) AS applied
             FROM (SELECT e.transaction_uuid, n.action, n.content
                   FROM (SELECT adaptor_uuid, sequence FROM delivery WHERE event_uuid = i.event_uuid OFFSET 0) d
                   JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
                   CROSS JOIN LATERAL (SELECT uuid, transaction_uuid FROM data_event
                                       WHERE record_uuid = i.record_uuid AND uuid >= i.event_uuid OFFSET 0) e
                   CROSS JOIN LATERAL (SELECT * FROM delivery WHERE event_uuid = e.uuid OFFSET 0) n
                   WHERE d.adaptor_uuid = i.adaptor_uuid AND n.adaptor_uuid = d.adaptor_uuid AND n.sequence > d.sequence
                     AND n.sequence <= c.down_acked AND n.status <> 'FAILED' AND n.not_applied IS NULL
                   ORDER BY n.sequence DESC LIMIT ${maxLater} OFFSET 0) m
           ) a ON true
           LEFT JOIN LATERAL (
             SELECT coalesce(to_jsonb(l.known_content), d.expected_content -> i.adaptor_uuid::text) AS known
             FROM data_record d
             LEFT JOIN record_link l ON l.record_uuid = d.uuid AND l.adaptor_uuid = i.adaptor_uuid
             WHERE d.uuid = i.record_uuid AND (r.transaction_uuid IS NOT NULL OR i.repeated_by IS NOT NULL OR a.applied IS NOT NULL)
           ) k ON true
           ORDER BY i.uuid`,
    values: [after ?? null, limit],
  });
  return rows.map(({ known, ...issue }) => ({
    ...issue,
    lacks: known === null ? [] : Object.keys(decodeKnown(known).failed),
  }));
};

/**
 * Notes reports that change nothing with the open issues of exception ADAPTOR whose rows they show to be readable, or whose failed
 * values they show to be there. Such reports are not in the history.
 */
export const noteRepeatedReports = async (client: SqlSession, reports: readonly RepeatedReport[]): Promise<void> => {
  if (reports.length === 0) return;
  await client.query({
    name: 'records-note-repeated-reports',
    // nothing is looked up while no such issue is open; the issues are updated by the index
    text: `WITH n AS MATERIALIZED (
             SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[], $5::uuid[], $6::boolean[])
               AS r(adaptor_uuid, version_uuid, record_uuid, digest, transaction_uuid, repairs)
             WHERE EXISTS (SELECT FROM data_issue WHERE status = 'OPEN' AND cause = 'ADAPTOR')
           ), found AS MATERIALIZED (
             SELECT DISTINCT ON (o.uuid) o.uuid, n.transaction_uuid
             FROM n CROSS JOIN LATERAL (
               SELECT uuid FROM data_issue
               WHERE adaptor_uuid = n.adaptor_uuid AND row_digest = n.digest AND domain_version_uuid = n.version_uuid
                 AND status = 'OPEN' AND cause = 'ADAPTOR'
               UNION ALL
               SELECT uuid FROM data_issue
               WHERE record_uuid = n.record_uuid AND status = 'OPEN' AND cause = 'ADAPTOR'
                 AND adaptor_uuid = n.adaptor_uuid AND (event_uuid IS NULL OR n.repairs) OFFSET 0
             ) o
           )
           UPDATE data_issue i SET repeated_by = found.transaction_uuid FROM found
           WHERE i.uuid = found.uuid AND i.uuid = ANY (ARRAY(SELECT uuid FROM found)) AND i.repeated_by IS NULL`,
    values: [
      binaryArray.uuid(reports.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(reports.map(({ domainVersionUuid }) => domainVersionUuid)),
      binaryArray.uuid(reports.map(({ recordUuid }) => recordUuid)),
      binaryArray.bytea(reports.map(({ keyDigest }) => keyDigest)),
      binaryArray.uuid(reports.map(({ transactionUuid }) => transactionUuid)),
      reports.map(({ repairs }) => repairs),
    ],
  });
};

/** An issue that is closed because the record was repaired. */
export interface RepairedIssue {
  readonly uuid: string;
  /** The reason, for its description. */
  readonly note: string;
}

/** Closes those of the issues that are still open, in a transaction of the caller's. */
export const closeRepaired = async (client: SqlSession, issues: readonly RepairedIssue[]): Promise<void> => {
  const { rows } = await client.query<{ readonly uuid: string }>({
    name: 'records-close-repaired',
    text: `UPDATE data_issue i SET status = 'CLOSED', last_updated = now(), change_version = change_version + 1,
             description = concat_ws(E'\\n', i.description, n.note)
           FROM unnest($1::uuid[], $2::text[]) AS n(uuid, note)
           WHERE i.uuid = n.uuid AND i.uuid = ANY ($1::uuid[]) AND i.status = 'OPEN' RETURNING i.uuid`,
    values: [binaryArray.uuid(issues.map(({ uuid }) => uuid)), binaryArray.text(issues.map(({ note }) => note))],
  });
  await logIssues(
    client,
    rows.map(({ uuid }) => ({ uuid, action: 'PUT' })),
  );
};

/** Notes what an adaptor said about its failure, by which the issue closes itself later. */
export const noteRepairable = async (
  client: SqlSession,
  issueUuid: string,
  { properties, rowDigest }: { readonly properties: readonly string[]; readonly rowDigest: string | undefined },
): Promise<void> => {
  await client.query({
    name: 'records-note-repairable',
    text: `UPDATE data_issue SET failed_properties = $2, row_digest = decode($3, 'hex') WHERE uuid = $1`,
    values: [issueUuid, properties, rowDigest ?? null],
  });
};
