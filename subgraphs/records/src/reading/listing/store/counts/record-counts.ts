import type { Queryable } from '@fds/database';
import { commonAccessOf, namedRecordsOf, writeVisibleRows, type CommonAccess } from '@fds/access-rules';
import {
  noAdaptor,
  rowSourcesOf,
  type ListingFilter,
  type RestrictedVersion,
  type RowSource,
  type Writing,
  type SqlParameters,
} from '@fds/search';
import { noKnowledge, planPage, type ReadingPlan } from '../../domain/plan-page.js';
import { runListing, startWriting, writeWhere } from '../run-listing.js';

type Version = NonNullable<ListingFilter['version']>;

/** A number of rows that triggers keep. */
interface KeptCount {
  readonly domainVersionUuid: string;
  /** RECORDS: of the version. ROWS: one for each link, and one for a record without any. LINKS: of the adaptor. */
  readonly of: 'RECORDS' | 'ROWS' | 'LINKS';
  readonly adaptorUuid?: string;
}

const keptCountOf = ({ adaptorUuid, rows }: ListingFilter, version: Version): KeptCount => {
  const { uuid: domainVersionUuid, domainType } = version;
  if (adaptorUuid !== undefined) return { domainVersionUuid, of: 'LINKS', adaptorUuid };
  return { domainVersionUuid, of: domainType === 'FEDERATED' && rows === 'PER_LINK' ? 'ROWS' : 'RECORDS' };
};

const sums: Readonly<Record<KeptCount['of'], string>> = {
  RECORDS: 'sum(records)',
  ROWS: 'sum(records) - sum(linked) + sum(links)',
  LINKS: 'sum(links) FILTER (WHERE adaptor_uuid = $2::uuid)',
};

/** A total that was read. */
export interface LoadedCount {
  readonly total: number;
  /** Entries that folding would remove. */
  readonly surplus: number;
}

interface CountRow {
  readonly total: bigint;
  readonly surplus: bigint;
}

const toCount = (rows: readonly CountRow[]): LoadedCount => ({
  total: Number(rows[0]?.total ?? 0n),
  surplus: Number(rows[0]?.surplus ?? 0n),
});

const surplusColumn = 'count(*) - count(DISTINCT coalesce(c.adaptor_uuid, c.domain_version_uuid)) AS surplus';

const loadKept = async (client: Queryable, { domainVersionUuid, of, adaptorUuid }: KeptCount): Promise<LoadedCount> => {
  const { rows } = await client.query<CountRow>({
    name: `records-load-count-${of.toLowerCase()}`,
    text: `SELECT coalesce(${sums[of]}, 0)::bigint AS total, ${surplusColumn}
           FROM record_count c WHERE c.domain_version_uuid = $1::uuid`,
    values: [domainVersionUuid, ...(of === 'LINKS' ? [adaptorUuid] : [])],
  });
  return toCount(rows);
};

/** Rows that the rules show or hide alike: all but those of the records that rules name. */
const writeCommon = (
  { adaptorUuid, version }: ListingFilter,
  access: CommonAccess,
  required: readonly string[],
  parameters: SqlParameters,
): string => {
  const own = writeVisibleRows(access, { uuid: 'NULL', adaptor: null, required }, parameters);
  if (version?.domainType === 'SERVICE_DATA_STORE') return `sum(c.records) FILTER (WHERE ${own})`;
  const linked = writeVisibleRows(access, { uuid: 'NULL', adaptor: 'c.adaptor_uuid', required }, parameters);
  const ofAdaptor =
    adaptorUuid === undefined ? 'c.adaptor_uuid IS NOT NULL' : `c.adaptor_uuid = ${parameters.add(adaptorUuid)}::uuid`;
  const links = `coalesce(sum(c.links) FILTER (WHERE ${ofAdaptor} AND ${linked}), 0)`;
  return adaptorUuid === undefined ? `${links} + coalesce(sum(c.records - c.linked) FILTER (WHERE ${own}), 0)` : links;
};

/** Rows of the records that rules name: those that are visible, less those that would be if no rule named them. */
const writeNamed = (
  filter: ListingFilter,
  restricted: RestrictedVersion,
  common: CommonAccess,
  writing: Writing,
): string => {
  const drUuids = [...namedRecordsOf(restricted.access)];
  if (drUuids.length === 0) return '0';
  const { visibility, ...unrestricted } = filter;
  const required = visibility?.required ?? [];
  const count = (source: RowSource): string => `(SELECT count(*) ${writeWhere(source)})`;
  const visible = rowSourcesOf({ ...filter, drUuids }, writing).map(count);
  const alike = rowSourcesOf({ ...unrestricted, drUuids }, writing).map((source) => {
    const adaptor = source.adaptor === noAdaptor ? null : source.adaptor;
    const test = writeVisibleRows(common, { uuid: source.uuid, adaptor, required }, writing.parameters);
    return count({ ...source, where: [...source.where, test] });
  });
  return `${visible.join(' + ')} - ${alike.join(' - ')}`;
};

const loadVisible = async (
  client: Queryable,
  filter: ListingFilter,
  restricted: RestrictedVersion,
): Promise<LoadedCount> => {
  const writing = await startWriting(client, filter);
  const common = commonAccessOf(restricted.access);
  const kept = writeCommon(filter, common, filter.visibility?.required ?? [], writing.parameters);
  const named = writeNamed(filter, restricted, common, writing);
  const { rows } = await client.query<CountRow>(
    `SELECT (coalesce(${kept}, 0) + ${named})::bigint AS total, ${surplusColumn}
     FROM record_count c WHERE c.domain_version_uuid = ${writing.version}`,
    [...writing.parameters.values],
  );
  return toCount(rows);
};

/** How many rows a listing has on all its pages. Each of them is counted. */
export const countRecords = async (client: Queryable, filter: ListingFilter): Promise<number> => {
  const everyRow = { order: [], offset: 0, limit: 0, isTotalRequested: true };
  const { keptPlan } = planPage(filter, everyRow, noKnowledge);
  const writing = await startWriting(client, filter, keptPlan);
  const counts = rowSourcesOf(filter, writing).map((source) => `(SELECT count(*) ${writeWhere(source)})`);
  const text = `SELECT ${counts.join(' + ')} AS total`;
  const [row] = await runListing<{ readonly total: bigint }>(client, text, writing, keptPlan);
  return Number(row?.total ?? 0n);
};

/**
 * The total of a listing at this moment, exactly. One statement reads a kept count, and each transaction adds its entries with
 * its rows. For a restricted listing, the rows of the records that rules name are counted.
 */
export const loadTotal = async (
  client: Queryable,
  { filter, total }: Pick<ReadingPlan, 'filter' | 'total'>,
): Promise<LoadedCount> => {
  const { version, visibility } = filter;
  if (version !== undefined && total === 'KEPT') return loadKept(client, keptCountOf(filter, version));
  const restricted = visibility?.versions.find(({ uuid }) => uuid === version?.uuid);
  return restricted !== undefined && total === 'KEPT_VISIBLE'
    ? loadVisible(client, filter, restricted)
    : { total: await countRecords(client, filter), surplus: 0 };
};

/** Versions with so many entries more than folding would leave. */
export const findUnfoldedVersions = async (client: Queryable, minSurplus: number): Promise<string[]> => {
  const { rows } = await client.query<{ readonly version: string }>(
    `SELECT domain_version_uuid AS version FROM record_count GROUP BY domain_version_uuid
     HAVING count(*) - count(DISTINCT coalesce(adaptor_uuid, domain_version_uuid)) >= $1`,
    [minSurplus],
  );
  return rows.map(({ version }) => version);
};

/** Replaces the entries of a version by their sums. Safe while others write, count and fold. */
export const foldCounts = async (client: Queryable, domainVersionUuid: string): Promise<void> => {
  await client.query({
    name: 'records-fold-counts',
    text: `WITH folded AS (
             DELETE FROM record_count WHERE domain_version_uuid = $1::uuid RETURNING adaptor_uuid, records, linked, links, moves
           )
           INSERT INTO record_count (domain_version_uuid, adaptor_uuid, records, linked, links, moves)
           SELECT $1::uuid, adaptor_uuid, sum(records), sum(linked), sum(links), sum(moves) FROM folded GROUP BY adaptor_uuid
           HAVING sum(records) <> 0 OR sum(linked) <> 0 OR sum(links) <> 0 OR sum(moves) <> 0`,
    values: [domainVersionUuid],
  });
};
