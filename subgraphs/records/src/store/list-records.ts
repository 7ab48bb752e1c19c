import { hash } from 'node:crypto';
import type { Queryable } from './channel.js';

/** How a value of a DR Key property compares. */
type KeyValueType = 'string' | 'integer' | 'number' | 'boolean';

export interface KeyProperty {
  readonly name: string;
  readonly type: KeyValueType;
}

/** Which rows a listing shows. */
export interface ListingFilter {
  readonly domainVersionUuid?: string;
  readonly drUuids?: readonly string[];
  /** Rows whose key has this value, given as text of its type. */
  readonly drKey?: { readonly property: KeyProperty; readonly value: string };
  /** Records that this adaptor links. */
  readonly adaptorUuid?: string;
  /** A federated record gives a row per link, or one row. */
  readonly rows: 'PER_LINK' | 'PER_RECORD';
}

export interface ListingOrder {
  readonly property: KeyProperty;
  readonly descending: boolean;
}

/** A row of a listing; JSON is text. */
export interface ListedRecord {
  readonly uuid: string;
  readonly adaptorUuid: string | null;
  readonly domainVersionUuid: string;
  readonly createdByUuid: string | null;
  readonly dateCreated: Date;
  readonly drKey: string;
  readonly json: string | null;
}

interface ListedRow {
  readonly uuid: string;
  readonly adaptor_uuid: string | null;
  readonly domain_version_uuid: string;
  readonly created_by_uuid: string | null;
  readonly date_created: Date;
  readonly dr_key: string;
  readonly json: string | null;
}

const sqlTypes: Readonly<Record<KeyValueType, string>> = {
  string: 'text',
  integer: 'numeric',
  number: 'numeric',
  boolean: 'boolean',
};

/** Collects the values of a statement as it is written. */
const createParameters = () => {
  const values: unknown[] = [];
  return {
    values,
    add: (value: unknown): string => {
      values.push(value);
      return `$${values.length}`;
    },
  };
};
type Parameters = ReturnType<typeof createParameters>;

const keyValue = (property: KeyProperty, parameters: Parameters): string =>
  `(coalesce(l.dr_key, r.dr_key) ->> ${parameters.add(property.name)}::text)::${sqlTypes[property.type]}`;

/** `FROM ... WHERE ...` of a listing. Federated records are those without data. */
const writeSource = (filter: ListingFilter, parameters: Parameters): string => {
  const { domainVersionUuid, drUuids, drKey, adaptorUuid } = filter;
  const conditions: string[] = [];
  let join = `LEFT JOIN record_link l ON ${filter.rows === 'PER_LINK' ? 'l.record_uuid = r.uuid AND r.json IS NULL' : 'false'}`;
  if (adaptorUuid !== undefined) {
    join = `JOIN record_link l ON l.record_uuid = r.uuid AND l.adaptor_uuid = ${parameters.add(adaptorUuid)}::uuid`;
  }
  if (domainVersionUuid !== undefined) {
    conditions.push(`r.domain_version_uuid = ${parameters.add(domainVersionUuid)}::uuid`);
  }
  if (drUuids !== undefined) conditions.push(`r.uuid = ANY (${parameters.add(drUuids)}::uuid[])`);
  if (drKey !== undefined) {
    const value = `${parameters.add(drKey.value)}::text::${sqlTypes[drKey.property.type]}`;
    conditions.push(`${keyValue(drKey.property, parameters)} = ${value}`);
  }
  return `FROM data_record r ${join}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
};

const run = async <Row extends object>(client: Queryable, text: string, parameters: Parameters): Promise<Row[]> => {
  // prepared once per connection and shape: names of properties are values too
  const name = `records-list-${hash('sha1', text).slice(0, 32)}`;
  return (await client.query<Row>({ name, text, values: parameters.values })).rows;
};

/** A page of a listing: by the keys asked for, then by uuid, so that pages never overlap. */
export const listRecords = async (
  client: Queryable,
  filter: ListingFilter,
  page: { readonly order: readonly ListingOrder[]; readonly offset: number; readonly limit: number },
): Promise<ListedRecord[]> => {
  const parameters = createParameters();
  const source = writeSource(filter, parameters);
  const order = page.order.map(
    ({ property, descending }) =>
      `${keyValue(property, parameters)} ${descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}`,
  );
  const shown = filter.rows === 'PER_LINK' ? 'l.adaptor_uuid' : 'NULL::uuid';
  const rows = await run<ListedRow>(
    client,
    `SELECT r.uuid, ${shown} AS adaptor_uuid, r.domain_version_uuid, r.created_by_uuid,
            coalesce(l.date_created, r.date_created) AS date_created,
            coalesce(l.dr_key, r.dr_key)::text AS dr_key, r.json::text AS json
     ${source}
     ORDER BY ${[...order, 'r.uuid', ...(filter.rows === 'PER_LINK' ? ['l.adaptor_uuid'] : [])].join(', ')}
     LIMIT ${parameters.add(page.limit)}::int OFFSET ${parameters.add(page.offset)}::bigint`,
    parameters,
  );
  return rows.map((row) => ({
    uuid: row.uuid,
    adaptorUuid: row.adaptor_uuid,
    domainVersionUuid: row.domain_version_uuid,
    createdByUuid: row.created_by_uuid,
    dateCreated: row.date_created,
    drKey: row.dr_key,
    json: row.json,
  }));
};

/** How many rows a listing has on all its pages. */
export const countRecords = async (client: Queryable, filter: ListingFilter): Promise<number> => {
  const parameters = createParameters();
  const text = `SELECT count(*) AS total ${writeSource(filter, parameters)}`;
  const [row] = await run<{ readonly total: bigint }>(client, text, parameters);
  return Number(row?.total ?? 0n);
};
