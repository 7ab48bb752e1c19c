import { lineOf } from './change-log-line.js';
import { toLoggedChange, type ChangeRow } from './change-log-window.js';
import type { LoggedChange } from './change-log.js';
import type { Queryable } from './queryable.js';

/** A selection of entries. An undefined member selects all values. */
interface ChangeFilter {
  readonly zoneUuid?: string | undefined;
  readonly types?: readonly string[] | undefined;
  /** Resource types to exclude. */
  readonly exceptTypes?: readonly string[] | undefined;
  readonly actions?: readonly string[] | undefined;
  /** Path below `/api`. */
  readonly resource?: string | undefined;
  /** True: includes the resources below `resource`. */
  readonly below?: boolean | undefined;
  readonly actorUuid?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

interface ChangePage {
  readonly order: 'NEWEST_FIRST' | 'OLDEST_FIRST';
  /** Only entries after this position in the order; undefined: from the beginning. */
  readonly after: bigint | undefined;
  /** Only entries at or below this position; undefined: all visible entries. */
  readonly upTo?: bigint | undefined;
  readonly limit: number;
  /** The page ends after this many bytes of `data`; it has at least one entry. */
  readonly maxBytes: number;
}

/**
 * Types with entries for every record. The indexes of the log omit them, so that a record needs no further index
 * entries. The list must agree with the migrations.
 */
const dataTypes = ['Dr', 'DataIssue'] as const;

const dataTypeList = dataTypes.map((type) => `'${type}'`).join(', ');

/** Rows of a page in order of position, and whether more entries follow. */
const selectChanges = async <Row extends object>(
  session: Queryable,
  columns: string,
  filter: ChangeFilter,
  { order, after, upTo, limit, maxBytes }: ChangePage,
): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> => {
  const values: unknown[] = [];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  const where = (value: unknown, write: (parameter: string) => string): void => {
    if (value !== undefined) conditions.push(write(add(value)));
  };
  const { resource, types, exceptTypes = [] } = filter;
  where(filter.zoneUuid, (parameter) => `zone_uuid = ${parameter}::uuid`);
  where(filter.actorUuid, (parameter) => `actor_uuid = ${parameter}::uuid`);
  where(types, (parameter) => `resource_type = ANY (${parameter}::text[])`);
  where(filter.actions, (parameter) => `action = ANY (${parameter}::text[])`);
  where(filter.from, (parameter) => `date_created >= ${parameter}`);
  where(filter.to, (parameter) => `date_created < ${parameter}`);
  where(upTo, (parameter) => `position <= ${parameter}`);
  where(after, (parameter) => `position ${order === 'NEWEST_FIRST' ? '<' : '>'} ${parameter}`);
  if (resource !== undefined) {
    const below = filter.below === true ? ` OR starts_with(resource, ${add(`${resource}/`)})` : '';
    conditions.push(`(resource = ${add(resource)}${below})`);
  }
  const selects = (type: string): boolean => !exceptTypes.includes(type) && (types?.includes(type) ?? true);
  // the database only considers the indexes if the statement itself names the types
  if (!dataTypes.some(selects)) conditions.push(`resource_type NOT IN (${dataTypeList})`);
  if (exceptTypes.length > 0) conditions.push(`resource_type <> ALL (${add(exceptTypes)}::text[])`);
  const direction = order === 'NEWEST_FIRST' ? 'DESC' : 'ASC';
  const { rows } = await session.query<Row & { readonly found: bigint }>(
    `SELECT ${columns}, found
     FROM (SELECT *, count(*) OVER () AS found,
             sum(coalesce(octet_length(data), 0)) OVER (ORDER BY position ${direction}) - coalesce(octet_length(data), 0) AS bytes
           FROM (SELECT * FROM change_log ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
                 ORDER BY position ${direction} LIMIT ${add(limit + 1)}) AS found) AS weighed
     WHERE bytes < ${add(maxBytes)} ORDER BY position ${direction}`,
    values,
  );
  return { rows: rows.slice(0, limit), more: Number(rows[0]?.found ?? 0n) > Math.min(rows.length, limit) };
};

/** A page of the change log in order of position, and whether more entries follow. */
export const listChanges = async (
  session: Queryable,
  filter: ChangeFilter,
  page: ChangePage,
): Promise<{ readonly changes: LoggedChange[]; readonly more: boolean }> => {
  const columns = 'position, date_created, action, resource_type, resource, resource_uuid, zone_uuid, actor_uuid, data';
  const { rows, more } = await selectChanges<ChangeRow>(session, columns, filter, page);
  return { changes: rows.map(toLoggedChange), more };
};

/** The same page as lines of JSON, in the form that the chain of hashes covers (`lineOf`). */
export const listChangeLines = async (
  session: Queryable,
  filter: ChangeFilter,
  page: ChangePage,
): Promise<{ readonly lines: readonly string[]; readonly last: bigint | undefined; readonly more: boolean }> => {
  const columns = `position, ${lineOf('weighed')} AS line`;
  const { rows, more } = await selectChanges<{ readonly position: bigint; readonly line: string }>(
    session,
    columns,
    filter,
    page,
  );
  return { lines: rows.map(({ line }) => line), last: rows.at(-1)?.position, more };
};
