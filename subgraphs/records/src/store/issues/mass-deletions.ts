import { binaryArray, type Queryable, type SqlSession } from '@fds/database';
import type { RaisedIssue } from '../../domain/events/event-outcome.js';
import { logIssues } from './log-issues.js';
import type { BrakeState, DeletionWindow } from '../../domain/issues/deletion-brake.js';

/** An adaptor and a version of which it reports deletions. */
export interface BrakedPlace {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  /** The time of the adaptor's limit. */
  readonly seconds: number;
}

interface BrakeRow {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly nowMs: number;
  readonly beganAtMs: number | null;
  readonly linked: bigint | null;
  readonly passed: bigint | null;
  readonly links: bigint | null;
  readonly issueUuid: string | null;
}

/** The brakes of adaptors. Their channels are locked: no other transaction uses the limits up in the meantime. */
export const loadBrakes = async (
  client: SqlSession,
  places: readonly BrakedPlace[],
): Promise<readonly BrakeState[]> => {
  if (places.length === 0) return [];
  const { rows } = await client.query<BrakeRow>({
    name: 'records-load-brakes',
    text: `SELECT n.adaptor_uuid AS "adaptorUuid", n.version_uuid AS "domainVersionUuid",
                  extract(epoch FROM n.moment)::float8 * 1000 AS "nowMs",
                  extract(epoch FROM w.began_at)::float8 * 1000 AS "beganAtMs", w.linked, w.passed, m.issue_uuid AS "issueUuid",
                  CASE WHEN w.began_at IS NULL THEN (
                    SELECT coalesce(sum(c.links), 0)::bigint FROM record_count c
                    WHERE c.domain_version_uuid = n.version_uuid AND c.adaptor_uuid = n.adaptor_uuid) END AS links
           FROM (SELECT u.*, clock_timestamp() AS moment
                 FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS u(adaptor_uuid, version_uuid, seconds)) n
           LEFT JOIN LATERAL (
             SELECT * FROM deletion_window d
             WHERE d.adaptor_uuid = n.adaptor_uuid AND d.domain_version_uuid = n.version_uuid
               AND d.began_at + n.seconds * interval '1 second' > n.moment OFFSET 0
           ) w ON true
           LEFT JOIN LATERAL (
             SELECT o.issue_uuid FROM mass_deletion o
             WHERE o.adaptor_uuid = n.adaptor_uuid AND o.domain_version_uuid = n.version_uuid AND NOT o.closed
             LIMIT 1 OFFSET 0
           ) m ON true`,
    values: [
      binaryArray.uuid(places.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(places.map(({ domainVersionUuid }) => domainVersionUuid)),
      places.map(({ seconds }) => seconds),
    ],
  });
  return rows.map((row) => {
    const { adaptorUuid, domainVersionUuid, nowMs, beganAtMs } = row;
    const place = { adaptorUuid, domainVersionUuid };
    const window =
      beganAtMs === null
        ? undefined
        : { ...place, beganAtMs, linked: Number(row.linked ?? 0n), passed: Number(row.passed ?? 0n) };
    return { ...place, nowMs, window, linked: Number(row.links ?? 0n), issueUuid: row.issueUuid ?? undefined };
  });
};

export const saveDeletionWindows = async (client: SqlSession, windows: readonly DeletionWindow[]): Promise<void> => {
  if (windows.length === 0) return;
  await client.query({
    name: 'records-save-deletion-windows',
    text: `INSERT INTO deletion_window (adaptor_uuid, domain_version_uuid, began_at, linked, passed)
           SELECT adaptor_uuid, version_uuid, to_timestamp(began_ms / 1000.0), linked, passed
           FROM unnest($1::uuid[], $2::uuid[], $3::float8[], $4::bigint[], $5::bigint[])
             AS n(adaptor_uuid, version_uuid, began_ms, linked, passed)
           ON CONFLICT (adaptor_uuid, domain_version_uuid) DO UPDATE
             SET began_at = excluded.began_at, linked = excluded.linked, passed = excluded.passed`,
    values: [
      binaryArray.uuid(windows.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(windows.map(({ domainVersionUuid }) => domainVersionUuid)),
      binaryArray.float8(windows.map(({ beganAtMs }) => beganAtMs)),
      binaryArray.int8(windows.map(({ linked }) => linked)),
      binaryArray.int8(windows.map(({ passed }) => passed)),
    ],
  });
};

/** Notes new issues MASS_DELETION as open. After the issues themselves. */
export const saveMassDeletions = async (client: SqlSession, raised: readonly RaisedIssue[]): Promise<void> => {
  if (raised.length === 0) return;
  await client.query({
    name: 'records-save-mass-deletions',
    text: `INSERT INTO mass_deletion (issue_uuid, adaptor_uuid, domain_version_uuid)
           SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[])`,
    values: [
      binaryArray.uuid(raised.map(({ uuid }) => uuid)),
      binaryArray.uuid(raised.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(raised.map(({ domainVersionUuid }) => domainVersionUuid)),
    ],
  });
};

/**
 * Closes issues MASS_DELETION with which no deletion is parked now, because the adaptor has reported the records again.
 */
export const closeCancelled = async (client: SqlSession, issueUuids: readonly string[]): Promise<void> => {
  if (issueUuids.length === 0) return;
  await client.query({
    name: 'records-close-cancelled',
    text: `WITH emptied AS (
             SELECT m.issue_uuid FROM mass_deletion m
             WHERE m.issue_uuid = ANY ($1::uuid[]) AND m.decision IS NULL
               -- by the index, for each issue
               AND NOT EXISTS (SELECT FROM data_issue w WHERE w.brake_uuid = m.issue_uuid OFFSET 0)),
           forgotten AS (DELETE FROM mass_deletion WHERE issue_uuid IN (SELECT issue_uuid FROM emptied))
           UPDATE data_issue i SET status = 'CLOSED', last_updated = now(), change_version = change_version + 1,
             description = concat_ws(E'\\n', i.description, 'The adaptor has reported every record again: no deletion is left.')
           FROM emptied WHERE i.uuid = emptied.issue_uuid AND i.uuid = ANY ($1::uuid[]) AND i.status = 'OPEN'`,
    values: [binaryArray.uuid(issueUuids)],
  });
};

/** A decision on parked deletions. PASS: they are let through. SEND_AGAIN: they are dropped, and the records sent again. */
export type BrakeDecision = 'PASS' | 'SEND_AGAIN';

/** A decision that is not carried out. */
export interface DecidedMassDeletion {
  readonly issueUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly decision: BrakeDecision;
  readonly actorUuid: string | null;
}

/**
 * Notes a decision, in a transaction of the caller's. The next deletion of the adaptor begins a new window.
 *
 * @param closed the issue is closed at once
 * @returns false: another decision is being carried out, or the issue is gone
 */
export const decideMassDeletion = async (
  client: SqlSession,
  issueUuid: string,
  {
    decision,
    actorUuid,
    closed,
  }: { readonly decision: BrakeDecision; readonly actorUuid: string; readonly closed: boolean },
): Promise<boolean> => {
  const { rowCount } = await client.query({
    name: 'records-decide-mass-deletion',
    text: `WITH decided AS (
             UPDATE mass_deletion SET decision = $2, actor_uuid = $3, closed = $4
             WHERE issue_uuid = $1 AND decision IS NULL RETURNING adaptor_uuid, domain_version_uuid),
           forgotten AS (
             DELETE FROM deletion_window w USING decided d
             WHERE w.adaptor_uuid = d.adaptor_uuid AND w.domain_version_uuid = d.domain_version_uuid)
           SELECT FROM decided`,
    values: [issueUuid, decision, actorUuid, closed],
  });
  return (rowCount ?? 0) > 0;
};

export const loadDecided = async (client: Queryable): Promise<readonly DecidedMassDeletion[]> => {
  const { rows } = await client.query<DecidedMassDeletion>({
    name: 'records-load-decided-mass-deletions',
    text: `SELECT issue_uuid AS "issueUuid", adaptor_uuid AS "adaptorUuid", domain_version_uuid AS "domainVersionUuid",
                  decision, actor_uuid AS "actorUuid"
           FROM mass_deletion WHERE decision IS NOT NULL ORDER BY issue_uuid`,
    values: [],
  });
  return rows;
};

/** A deletion that is parked with an issue MASS_DELETION. */
export interface BrakedDeletion {
  readonly uuid: string;
  readonly recordUuid: string | null;
}

/** A page of parked deletions, the oldest first. */
export const loadBraked = async (
  client: Queryable,
  issueUuid: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly BrakedDeletion[]> => {
  const { rows } = await client.query<BrakedDeletion>({
    name: 'records-load-braked',
    text: `SELECT uuid, record_uuid AS "recordUuid" FROM data_issue
           WHERE brake_uuid = $1 AND uuid > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
           ORDER BY uuid LIMIT $3`,
    values: [issueUuid, after ?? null, limit],
  });
  return rows;
};

/** Locks parked deletions; those that were cancelled or settled in the meantime are left out. */
export const lockBraked = async (
  client: SqlSession,
  issueUuid: string,
  uuids: readonly string[],
): Promise<readonly BrakedDeletion[]> => {
  const { rows } = await client.query<BrakedDeletion>({
    name: 'records-lock-braked',
    text: `SELECT uuid, record_uuid AS "recordUuid" FROM data_issue
           WHERE uuid = ANY ($2::uuid[]) AND brake_uuid = $1 ORDER BY uuid FOR UPDATE`,
    values: [issueUuid, binaryArray.uuid(uuids)],
  });
  return rows;
};

/** The decision is carried out: forgets it if no deletion is parked with the issue. @returns whether it is forgotten */
export const forgetMassDeletion = async (client: SqlSession, issueUuid: string): Promise<boolean> => {
  const { rowCount } = await client.query({
    name: 'records-forget-mass-deletion',
    text: `DELETE FROM mass_deletion WHERE issue_uuid = $1
             AND NOT EXISTS (SELECT FROM data_issue WHERE brake_uuid = $1)`,
    values: [issueUuid],
  });
  return (rowCount ?? 0) > 0;
};

/** The other adaptors that link any of the records. */
export const loadOtherHolders = async (
  client: Queryable,
  adaptorUuid: string,
  recordUuids: readonly string[],
): Promise<readonly string[]> => {
  const { rows } = await client.query<{ readonly uuid: string }>({
    name: 'records-load-other-holders',
    text: 'SELECT DISTINCT adaptor_uuid AS uuid FROM record_link WHERE record_uuid = ANY ($1::uuid[]) AND adaptor_uuid <> $2',
    values: [recordUuids, adaptorUuid],
  });
  return rows.map(({ uuid }) => uuid);
};

/** Removes parked deletions whose record or adaptor is gone. */
export const removeBraked = async (client: SqlSession, issueUuid: string): Promise<void> => {
  await client.query({
    name: 'records-remove-braked',
    text: 'DELETE FROM data_issue WHERE brake_uuid = $1',
    values: [issueUuid],
  });
};

/** Ends an open issue MASS_DELETION whose records were sent again, or says why some were not. In a transaction of the caller's. */
export const endSendingAgain = async (
  client: SqlSession,
  { issueUuid, actorUuid }: Pick<DecidedMassDeletion, 'issueUuid' | 'actorUuid'>,
  note: string | undefined,
): Promise<void> => {
  const { rowCount } = await client.query({
    name: 'records-end-sending-again',
    text: `UPDATE data_issue i SET last_updated = now(), change_version = change_version + 1,
             status = CASE WHEN $2::text IS NULL THEN 'CLOSED' ELSE status END, description = coalesce($2, description),
             errors = CASE WHEN $2::text IS NULL THEN errors ELSE (
               (SELECT coalesce(jsonb_agg(e), '[]') FROM jsonb_array_elements(coalesce(i.errors, '[]')::jsonb) e
                WHERE e ->> 'code' <> 'NO_ANSWER')
               || jsonb_build_array(jsonb_build_object('pointer', '', 'code', 'NO_ANSWER', 'detail', $2::text)))::text END
           WHERE uuid = $1 AND status = 'OPEN'`,
    values: [issueUuid, note ?? null],
  });
  await client.query({
    name: note === undefined ? 'records-end-mass-deletion' : 'records-reopen-mass-deletion',
    text:
      note === undefined
        ? 'DELETE FROM mass_deletion WHERE issue_uuid = $1'
        : 'UPDATE mass_deletion SET decision = NULL, actor_uuid = NULL WHERE issue_uuid = $1',
    values: [issueUuid],
  });
  if ((rowCount ?? 0) > 0) {
    await logIssues(client, [{ uuid: issueUuid, action: 'PATCH', actorUuid: actorUuid ?? undefined }]);
  }
};
