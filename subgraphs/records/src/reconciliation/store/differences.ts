import { binaryArray, type Queryable, type SqlSession } from '@fds/database';
import { stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import type { ListedPair } from '../domain/choose-values.js';
import { keptJobs } from './running-jobs.js';

export type DifferenceKind = 'DIFFERING' | 'MISSING_HERE' | 'MISSING_THERE';

/** A pair with the values as they were read. */
interface StoredPair extends ListedPair {
  readonly value?: JsonValue;
  readonly otherValue?: JsonValue;
}

/** A record that differs, or that a side lacks. */
export interface Difference {
  readonly recordUuid: string;
  readonly kind: DifferenceKind;
  readonly drKey: JsonObject;
  readonly pairs: readonly StoredPair[];
}

/** A difference as it is listed. */
export interface ListedDifference extends Difference {
  /** The links of the record now. */
  readonly links: readonly { readonly adaptorUuid: string; readonly drKey: JsonObject }[];
}

/** The most differences of a job that are listed. The counts show all. */
export const maxDifferences = 100_000;

/** Notes the differences of a page. Those beyond the limit are only counted. */
export const saveDifferences = async (
  client: SqlSession,
  reconciliationUuid: string,
  differences: readonly Difference[],
): Promise<void> => {
  if (differences.length === 0) return;
  await client.query({
    name: 'records-save-reconciliation-differences',
    text: `INSERT INTO reconciliation_difference (reconciliation_uuid, record_uuid, kind, dr_key, pairs, properties)
           SELECT $1, n.record_uuid, n.kind, n.dr_key::jsonb, n.pairs::jsonb,
                  ARRAY(SELECT DISTINCT p ->> 'property' FROM jsonb_array_elements(n.pairs::jsonb) p)
           FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS n(record_uuid, kind, dr_key, pairs)
           WHERE (SELECT differing + lacked_here + lacked_there FROM reconciliation WHERE uuid = $1) <= $6`,
    values: [
      reconciliationUuid,
      binaryArray.uuid(differences.map(({ recordUuid }) => recordUuid)),
      binaryArray.text(differences.map(({ kind }) => kind)),
      binaryArray.text(differences.map(({ drKey }) => stringifyJson(drKey))),
      binaryArray.text(differences.map(({ pairs }) => stringifyJson(pairs as unknown as JsonValue))),
      maxDifferences,
    ],
  });
};

export interface DifferenceFilter {
  readonly reconciliationUuid: string;
  readonly kinds?: readonly DifferenceKind[] | null;
  readonly property?: string | null;
  /** A condition for the rows `d` that may be seen; its parameters begin with the fourth. Default: all. */
  readonly rows?: { readonly text: string; readonly values: readonly unknown[] };
}

interface Row {
  readonly record_uuid: string;
  readonly kind: DifferenceKind;
  readonly dr_key: JsonObject;
  readonly pairs: readonly StoredPair[];
  readonly links: readonly (readonly [string, JsonObject])[];
}

const writeFilter = ({ reconciliationUuid, kinds, property, rows }: DifferenceFilter) => ({
  where: `d.reconciliation_uuid = $1 AND ($2::text[] IS NULL OR d.kind = ANY ($2))
          AND ($3::text IS NULL OR $3 = ANY (d.properties)) AND ${rows?.text ?? 'true'}`,
  values: [reconciliationUuid, kinds ?? null, property ?? null, ...(rows?.values ?? [])],
});

/** A page of differences in the order of their records. */
export const listDifferences = async (
  client: Queryable,
  filter: DifferenceFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly ListedDifference[]> => {
  const { where, values } = writeFilter(filter);
  const { rows } = await client.query<Row>(
    `SELECT d.record_uuid, d.kind, d.dr_key, d.pairs,
       (SELECT coalesce(jsonb_agg(jsonb_build_array(l.adaptor_uuid, l.dr_key) ORDER BY l.adaptor_uuid), '[]')
        FROM record_link l WHERE l.record_uuid = d.record_uuid) AS links
     FROM reconciliation_difference d WHERE ${where}
     ORDER BY d.record_uuid OFFSET $${values.length + 1} LIMIT $${values.length + 2}`,
    [...values, offset, limit],
  );
  return rows.map((row) => ({
    recordUuid: row.record_uuid,
    kind: row.kind,
    drKey: row.dr_key,
    pairs: row.pairs,
    links: row.links.map(([adaptorUuid, drKey]) => ({ adaptorUuid, drKey })),
  }));
};

export const countDifferences = async (client: Queryable, filter: DifferenceFilter): Promise<number> => {
  const { where, values } = writeFilter(filter);
  const { rows } = await client.query<{ total: bigint }>(
    `SELECT count(*) AS total FROM reconciliation_difference d WHERE ${where}`,
    values,
  );
  return Number(rows[0]?.total ?? 0n);
};

/** Values are kept this long after the end of a job. */
const keptHours = 24;
/**
 * Removes the values of differences from jobs that ended long ago, or that a later job of their adaptor and version replaced, and
 * jobs that are older than many others, except the last one that verifies the adaptor and the version.
 *
 * @param limit of rows that change at once
 * @returns whether there may be more
 */
export const forgetOld = async (client: Queryable, limit: number): Promise<boolean> => {
  const { rowCount } = await client.query(
    `UPDATE reconciliation_difference d
     SET pairs = (SELECT coalesce(jsonb_agg(p - 'value' - 'otherValue'), '[]') FROM jsonb_array_elements(d.pairs) p)
     FROM (SELECT w.reconciliation_uuid, w.record_uuid FROM reconciliation r
             JOIN reconciliation_difference w ON w.reconciliation_uuid = r.uuid
           WHERE w.pairs @? '$[*].value'
             AND (r.date_finished < clock_timestamp() - $1 * interval '1 hour'
               OR EXISTS (SELECT FROM reconciliation l WHERE l.adaptor_uuid = r.adaptor_uuid
                            AND l.domain_version_uuid = r.domain_version_uuid AND l.uuid > r.uuid))
           LIMIT $2) old
     WHERE d.reconciliation_uuid = old.reconciliation_uuid AND d.record_uuid = old.record_uuid`,
    [keptHours, limit],
  );
  await client.query(
    `DELETE FROM reconciliation WHERE uuid IN (
       SELECT uuid FROM (
         SELECT uuid, status, row_number() OVER (PARTITION BY adaptor_uuid, domain_version_uuid ORDER BY uuid DESC) AS place,
                row_number() OVER (PARTITION BY adaptor_uuid, domain_version_uuid, status = 'DONE' AND properties IS NULL
                                     AND query IS NULL ORDER BY uuid DESC) AS place_of_kind,
                status = 'DONE' AND properties IS NULL AND query IS NULL AS verifies
         FROM reconciliation) ranked
       WHERE place > $1 AND status <> 'RUNNING' AND NOT (verifies AND place_of_kind = 1))`,
    [keptJobs],
  );
  return rowCount === limit;
};
