import { hash } from 'node:crypto';
import { createSqlParameters, loadDatabaseFeatures } from '@fds/search-sql';
import { linkRequestKey, type LinkRequest } from './reference-links.js';
import { isPlain, writeLinks, type LinkGroup, type LinkWriting } from './write-links.js';

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

/** What runs the statement: a pool, a connection, or a share of the database. */
export interface LinkReader {
  query<Row extends object>(statement: string | Statement): Promise<{ readonly rows: Row[] }>;
}

/** A record that a reference leads to; JSON is text. */
export interface LinkedRecord {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  readonly dateCreated: Date;
  readonly drKey: string;
  /** Null: federated. */
  readonly json: string | null;
}

interface LinkedRow {
  readonly request: number;
  readonly uuid: string;
  readonly domain_version_uuid: string;
  readonly date_created: Date;
  readonly dr_key: string;
  readonly json: string | null;
}

const groupRequests = (requests: readonly LinkRequest[]): readonly LinkGroup[] => {
  const groups = new Map<string, { readonly place: number; readonly request: LinkRequest }[]>();
  for (const [place, request] of requests.entries()) {
    const key = `${request.targets === undefined ? 'MATCHING' : 'POSTED'} ${request.links.key}`;
    const members = groups.get(key) ?? [];
    members.push({ place, request });
    groups.set(key, members);
  }
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { links, targets } = first.request;
    return [{ links, kind: targets === undefined ? 'MATCHING' : 'POSTED', members }];
  });
};

const toRecord = (row: LinkedRow): LinkedRecord => ({
  uuid: row.uuid,
  domainVersionUuid: row.domain_version_uuid,
  dateCreated: row.date_created,
  drKey: row.dr_key,
  json: row.json,
});

/**
 * Finds the records that references lead to, in one statement for all of them, no more of each than its limit.
 *
 * @param limit of records in all
 * @param visibilityOf what the caller may see of a target; default everything
 * @returns for each request its records in order; undefined when there are more than the limit in all
 */
export const loadLinks = async (
  client: LinkReader,
  requests: readonly LinkRequest[],
  limit: number,
  visibilityOf?: LinkWriting['visibilityOf'],
): Promise<readonly (readonly LinkedRecord[])[] | undefined> => {
  const places = new Map<string, number>();
  const distinct: LinkRequest[] = [];
  const placeOf = requests.map((request) => {
    const key = linkRequestKey(request);
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, distinct.length);
    return distinct.push(request) - 1;
  });
  if (distinct.length === 0) return [];
  const groups = groupRequests(distinct);
  const writing = {
    parameters: createSqlParameters(),
    features: await loadDatabaseFeatures(client),
    ...(visibilityOf === undefined ? {} : { visibilityOf }),
  };
  const selected = groups.map((group) => writeLinks(group, writing)).join(' UNION ALL ');
  // the limit keeps the planner from reading all records for a join: it takes any condition to find many
  const text = `SELECT page.request, whole.* FROM (${selected}) AS page
                CROSS JOIN LATERAL (
                  SELECT r.uuid, r.domain_version_uuid, r.date_created, r.dr_key::text AS dr_key, r.json::text AS json
                  FROM data_record r WHERE r.uuid = page.uuid LIMIT 1
                ) AS whole
                ORDER BY page.request, page.place LIMIT ${writing.parameters.add(limit + 1)}::int`;
  const values = [...writing.parameters.values];
  const name =
    visibilityOf === undefined && groups.every(isPlain)
      ? { name: `records-links-${hash('sha1', text).slice(0, 32)}` }
      : {};
  const { rows } = await client.query<LinkedRow>({ ...name, text, values });
  if (rows.length > limit) return undefined;
  const found = distinct.map((): LinkedRecord[] => []);
  for (const row of rows) found[row.request]?.push(toRecord(row));
  return placeOf.map((place) => found[place] ?? []);
};
