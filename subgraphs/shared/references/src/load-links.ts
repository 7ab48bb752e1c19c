import { hash } from 'node:crypto';
import { createSqlParameters, loadDatabaseFeatures, type SqlParameters } from '@fds/search';
import { linkRequestKey, type LinkRequest } from './reference-links.js';
import { isPlain, writeLinks, type LinkGroup, type LinkWriting } from './write-links.js';

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Runs the statement: a pool, a connection, or a share of the database. */
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

type UuidRow = Pick<LinkedRow, 'request' | 'uuid'>;

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

/** The visible part of a target. Default: everything. */
export type LinkVisibility = LinkWriting['visibilityOf'];

interface LinksStatement {
  readonly selected: string;
  readonly parameters: SqlParameters;
  /** For each request the number by which its rows have it. */
  readonly placeOf: readonly number[];
  readonly distinctCount: number;
  /** Is the statement worth keeping? */
  readonly isKept: boolean;
}

/** The links of requests as SQL: rows of `request`, `place` and `uuid`, each distinct request once. */
const writeRequests = async (
  client: LinkReader,
  requests: readonly LinkRequest[],
  visibilityOf: LinkVisibility,
): Promise<LinksStatement> => {
  const places = new Map<string, number>();
  const distinct: LinkRequest[] = [];
  const placeOf = requests.map((request) => {
    const key = linkRequestKey(request);
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, distinct.length);
    return distinct.push(request) - 1;
  });
  const groups = groupRequests(distinct);
  const writing = {
    parameters: createSqlParameters(),
    features: await loadDatabaseFeatures(client),
    ...(visibilityOf === undefined ? {} : { visibilityOf }),
  };
  const selected = groups.map((group) => writeLinks(group, writing)).join(' UNION ALL ');
  const isKept = visibilityOf === undefined && groups.every(isPlain);
  return { selected, parameters: writing.parameters, placeOf, distinctCount: distinct.length, isKept };
};

/**
 * Runs a statement over links; returns the records that each request leads to, undefined where there are more rows than the
 * limit.
 */
const readLinks = async <Row extends { readonly request: number }, Link>(
  client: LinkReader,
  { parameters, placeOf, distinctCount, isKept }: LinksStatement,
  text: string,
  { limit, toLink }: { readonly limit: number; readonly toLink: (row: Row) => Link },
): Promise<readonly (readonly Link[])[] | undefined> => {
  const name = isKept ? { name: `records-links-${hash('sha1', text).slice(0, 32)}` } : {};
  const { rows } = await client.query<Row>({ ...name, text, values: [...parameters.values] });
  if (rows.length > limit) return undefined;
  const found = Array.from({ length: distinctCount }, (): Link[] => []);
  for (const row of rows) found[row.request]?.push(toLink(row));
  return placeOf.map((place) => found[place] ?? []);
};

/**
 * Finds the records that references lead to, in one statement for all of them, no more of each than its limit.
 *
 * @param limit of records in all
 * @returns for each request its records in order; undefined when there are more than the limit in all
 */
export const loadLinks = async (
  client: LinkReader,
  requests: readonly LinkRequest[],
  limit: number,
  visibilityOf?: LinkVisibility,
): Promise<readonly (readonly LinkedRecord[])[] | undefined> => {
  if (requests.length === 0) return [];
  const statement = await writeRequests(client, requests, visibilityOf);
  // the limit keeps the planner from reading all records for a join: it takes any condition to find many
  const text = `SELECT page.request, whole.* FROM (${statement.selected}) AS page
                CROSS JOIN LATERAL (
                  SELECT r.uuid, r.domain_version_uuid, r.date_created, r.dr_key::text AS dr_key, r.json::text AS json
                  FROM data_record r WHERE r.uuid = page.uuid LIMIT 1
                ) AS whole
                ORDER BY page.request, page.place LIMIT ${statement.parameters.add(limit + 1)}::int`;
  return readLinks<LinkedRow, LinkedRecord>(client, statement, text, { limit, toLink: toRecord });
};

/** Finds the uuids of the records that references lead to. For the rest see `loadLinks`. */
export const loadLinkedUuids = async (
  client: LinkReader,
  requests: readonly LinkRequest[],
  limit: number,
  visibilityOf?: LinkVisibility,
): Promise<readonly (readonly string[])[] | undefined> => {
  if (requests.length === 0) return [];
  const statement = await writeRequests(client, requests, visibilityOf);
  const text = `SELECT page.request, page.uuid FROM (${statement.selected}) AS page
                ORDER BY page.request, page.place LIMIT ${statement.parameters.add(limit + 1)}::int`;
  return readLinks<UuidRow, string>(client, statement, text, { limit, toLink: ({ uuid }) => uuid });
};
