import type { Queryable, SqlSession } from '@fds/database';
import type { ReconciliationPolicy } from '../domain/plan-effects.js';

export type ReconciliationStatus = 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED';

/** The order of a caller. */
export interface ReconciliationOrder extends ReconciliationPolicy {
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  /** Null: all properties are compared. */
  readonly properties: readonly string[] | null;
  readonly query: string | null;
  /** Null: the schedule of the zone. */
  readonly startedByUuid: string | null;
  /** Default: the time of the database. */
  readonly startedAt?: Date;
}

/** Numbers of records by their result, and of messages. */
export interface ReconciliationCounts {
  readonly equal: number;
  readonly differing: number;
  readonly missingHere: number;
  readonly missingThere: number;
  readonly unreadable: number;
  readonly sent: number;
}

/** A job as it is stored. */
export interface Reconciliation extends ReconciliationOrder {
  readonly uuid: string;
  readonly status: ReconciliationStatus;
  readonly counts: ReconciliationCounts;
  /** Records that governance keeps from the zone. */
  readonly denied: number;
  readonly byProperty: Readonly<Record<string, number>>;
  /** Reasons by the uuids of adaptors that could not be read. */
  readonly unread: Readonly<Record<string, string>>;
  readonly total: number;
  readonly scanned: number;
  /** The last record that was compared. */
  readonly position: string | null;
  /** The last record when the job began. */
  readonly lastRecordUuid: string | null;
  readonly message: string | null;
  readonly dateCreated: Date;
  readonly dateFinished: Date | null;
}

interface Row {
  readonly uuid: string;
  readonly zone_uuid: string;
  readonly adaptor_uuid: string;
  readonly domain_version_uuid: string;
  readonly status: ReconciliationStatus;
  readonly preview: boolean;
  readonly value_policy: ReconciliationPolicy['values'];
  readonly missing_here: ReconciliationPolicy['missingHere'];
  readonly missing_there: ReconciliationPolicy['missingThere'];
  readonly properties: readonly string[] | null;
  readonly query: string | null;
  readonly equal: bigint;
  readonly differing: bigint;
  readonly lacked_here: bigint;
  readonly lacked_there: bigint;
  readonly unreadable: bigint;
  readonly sent: bigint;
  readonly denied: bigint;
  readonly by_property: Record<string, number>;
  readonly unread: Record<string, string>;
  readonly total: bigint;
  readonly scanned: bigint;
  readonly position: string | null;
  readonly last_record_uuid: string | null;
  readonly message: string | null;
  readonly started_by_uuid: string | null;
  readonly date_created: Date;
  readonly date_finished: Date | null;
}

const toReconciliation = (row: Row): Reconciliation => ({
  uuid: row.uuid,
  zoneUuid: row.zone_uuid,
  adaptorUuid: row.adaptor_uuid,
  domainVersionUuid: row.domain_version_uuid,
  status: row.status,
  preview: row.preview,
  values: row.value_policy,
  missingHere: row.missing_here,
  missingThere: row.missing_there,
  properties: row.properties,
  query: row.query,
  counts: {
    equal: Number(row.equal),
    differing: Number(row.differing),
    missingHere: Number(row.lacked_here),
    missingThere: Number(row.lacked_there),
    unreadable: Number(row.unreadable),
    sent: Number(row.sent),
  },
  denied: Number(row.denied),
  byProperty: row.by_property,
  unread: row.unread,
  total: Number(row.total),
  scanned: Number(row.scanned),
  position: row.position,
  lastRecordUuid: row.last_record_uuid,
  message: row.message,
  startedByUuid: row.started_by_uuid,
  dateCreated: row.date_created,
  dateFinished: row.date_finished,
});

const columns = `uuid, zone_uuid, adaptor_uuid, domain_version_uuid, status, preview, value_policy, missing_here, missing_there,
  properties, query, equal, differing, lacked_here, lacked_there, unreadable, sent, denied, by_property, unread, total,
  scanned, position, last_record_uuid, message, started_by_uuid, date_created, date_finished`;

/** Adds a job. @throws unique violation (SQLSTATE 23505) while another one of the adaptor and the version runs */
export const addReconciliation = async (
  client: SqlSession,
  uuid: string,
  order: ReconciliationOrder,
): Promise<Reconciliation> => {
  const { rows } = await client.query<Row>({
    name: 'records-add-reconciliation',
    text: `INSERT INTO reconciliation (uuid, zone_uuid, adaptor_uuid, domain_version_uuid, preview, value_policy, missing_here,
                                       missing_there, properties, query, started_by_uuid, date_created, last_record_uuid, total)
           SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::bool, $6::text, $7::text, $8::text, $9::jsonb, $10::text,
                  $11::uuid, coalesce($12::timestamptz, now()),
                  (SELECT uuid FROM data_record WHERE domain_version_uuid = $4 ORDER BY uuid DESC LIMIT 1),
                  (SELECT count(*) FROM data_record WHERE domain_version_uuid = $4)
           RETURNING ${columns}`,
    values: [
      uuid,
      order.zoneUuid,
      order.adaptorUuid,
      order.domainVersionUuid,
      order.preview,
      order.values,
      order.missingHere,
      order.missingThere,
      order.properties === null ? null : JSON.stringify(order.properties),
      order.query,
      order.startedByUuid,
      order.startedAt ?? null,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new TypeError('a reconciliation was not added');
  return toReconciliation(row);
};

/** An adaptor of a zone. */
export interface ReconciledPlace {
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
}

export const findReconciliation = async (
  client: SqlSession,
  uuid: string,
  place?: ReconciledPlace,
): Promise<Reconciliation | undefined> => {
  const { rows } = await client.query<Row>({
    name: 'records-find-reconciliation',
    text: `SELECT ${columns} FROM reconciliation
           WHERE uuid = $1 AND zone_uuid = coalesce($2, zone_uuid) AND adaptor_uuid = coalesce($3, adaptor_uuid)`,
    values: [uuid, place?.zoneUuid ?? null, place?.adaptorUuid ?? null],
  });
  return rows[0] && toReconciliation(rows[0]);
};

/** Is there an adaptor in the zone? An adaptor that was deactivated counts. */
export const isAdaptorOf = async (client: Queryable, { zoneUuid, adaptorUuid }: ReconciledPlace): Promise<boolean> => {
  const { rows } = await client.query('SELECT 1 FROM adaptor WHERE uuid = $1 AND zone_uuid = $2', [
    adaptorUuid,
    zoneUuid,
  ]);
  return rows.length > 0;
};

export interface ReconciliationFilter extends ReconciledPlace {
  readonly status?: readonly ReconciliationStatus[] | null;
  readonly domainVersionUuid?: string | null;
}

/** A page of the jobs of an adaptor, the newest first, and their number. */
export const listReconciliations = async (
  client: Queryable,
  { zoneUuid, adaptorUuid, status, domainVersionUuid }: ReconciliationFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: readonly Reconciliation[]; readonly total: number }> => {
  const where = `zone_uuid = $1 AND adaptor_uuid = $2 AND ($3::text[] IS NULL OR status = ANY ($3))
                 AND ($4::uuid IS NULL OR domain_version_uuid = $4)`;
  const values = [zoneUuid, adaptorUuid, status ?? null, domainVersionUuid ?? null];
  const counted = await client.query<{ total: bigint }>(
    `SELECT count(*) AS total FROM reconciliation WHERE ${where}`,
    values,
  );
  const { rows } = await client.query<Row>(
    `SELECT ${columns} FROM reconciliation WHERE ${where} ORDER BY uuid DESC OFFSET $5 LIMIT $6`,
    [...values, page.offset, page.limit],
  );
  return { rows: rows.map(toReconciliation), total: Number(counted.rows[0]?.total ?? 0n) };
};

/** The members of a job for the change log and for answers. */
export const shownReconciliation = (job: Reconciliation) => {
  const { equal, differing, missingHere, missingThere, unreadable, sent } = job.counts;
  const byProperty = Object.entries(job.byProperty)
    .map(([property, count]) => ({ property, differing: count }))
    .toSorted((one, other) => other.differing - one.differing || (one.property < other.property ? -1 : 1));
  return {
    uuid: job.uuid,
    zoneUuid: job.zoneUuid,
    adaptorUuid: job.adaptorUuid,
    status: job.status,
    preview: job.preview,
    domainVersionUuid: job.domainVersionUuid,
    values: job.values,
    missingHere: job.missingHere,
    missingThere: job.missingThere,
    properties: job.properties,
    query: job.query,
    counts: {
      examined: equal + differing + missingHere + missingThere + unreadable,
      equal,
      differing,
      missingHere,
      missingThere,
      unreadable,
      sent,
    },
    byProperty,
    progress: job.status === 'DONE' || job.total === 0 ? 1 : Math.min(1, job.scanned / job.total),
    startedByUuid: job.startedByUuid,
    dateCreated: job.dateCreated,
    dateFinished: job.dateFinished,
    message: job.message,
  };
};
