import {
  rowSourcesOf,
  takesEveryKey,
  type ListingFilter,
  type RowSource,
  type Visibility,
  type Writing,
  writeOrder,
  type DatabaseFeatures,
  type SqlParameters,
  conditionProperties,
} from '@fds/search';
import type { LinkedVersion } from './linked-version.js';
import type { LinkCondition, LinkOrder, LinkRequest, ReferenceLinks } from './reference-links.js';

/** Requests of the same links that are all posted, or all matching. */
export interface LinkGroup {
  readonly links: ReferenceLinks;
  readonly kind: 'POSTED' | 'MATCHING';
  /** With their places in the answer. */
  readonly members: readonly { readonly place: number; readonly request: LinkRequest }[];
}

export interface LinkWriting {
  readonly parameters: SqlParameters;
  readonly features: DatabaseFeatures;
  /** The visible part of a version whose rows differ in the required properties. Default: everything. */
  readonly visibilityOf?: (version: LinkedVersion, required: readonly string[]) => Visibility | undefined;
}

/** Has the statement the same text whatever is asked, so that it is worth keeping? */
export const isPlain = ({ links, kind }: LinkGroup): boolean =>
  kind === 'POSTED' && links.order.length === 0 && links.posted.condition === undefined;

/** Terms of ORDER BY over rows with `key`, `data` and columns that tell them apart. */
const writeLinkOrder = (
  order: readonly LinkOrder[],
  columns: { readonly row: string; readonly identity: readonly string[] },
  { features }: LinkWriting,
): string => {
  const last = order.length - 1;
  const terms = order.flatMap(({ from, ...term }, index) =>
    writeOrder(
      [term],
      { key: `${columns.row}.${from === 'KEY' ? 'key' : 'data'}`, identity: index === last ? columns.identity : [] },
      features,
    ),
  );
  return (order.length === 0 ? columns.identity : terms).join(', ');
};

/** One column for each placeholder: `v0`, `v1` and so on. */
const valueColumns = ({ placeholders }: LinkCondition): readonly string[] =>
  placeholders.map((_, index) => `v${index}`);

const writePlaceholder =
  ({ placeholders }: LinkCondition, row: string): NonNullable<Writing['placeholder']> =>
  (name, property) =>
    `${row}.v${placeholders.findIndex((each) => each.name === name && each.property.name === property.name)}`;

interface WantedRows {
  /** Alias of the rows with the values of the records that refer. */
  readonly row: string;
  /** SQL of the uuid of the only record that is meant. */
  readonly record?: string;
  /** SQL of the target's uuid. */
  readonly version: string;
}

/** Rows of the target: `uuid`, `key` and, where the order needs it, `data`. */
const selectRows = (
  group: LinkGroup,
  linking: LinkCondition,
  { parameters, features, visibilityOf }: LinkWriting,
  wanted: WantedRows,
): { readonly columns: string; readonly from: string; readonly where: string; readonly isSearch: boolean } => {
  const { version, order } = group.links;
  const { condition } = linking;
  const required = [
    ...(condition === undefined ? [] : conditionProperties(condition)),
    ...order.map(({ property }) => property.name),
  ];
  const visibility = visibilityOf?.(version, required);
  const filter: ListingFilter = {
    version: { uuid: version.uuid, domainType: version.domainType },
    ...(condition === undefined ? {} : { condition }),
    rows: 'PER_RECORD',
    ...(visibility === undefined ? {} : { visibility }),
  };
  const [source] = rowSourcesOf(filter, {
    parameters,
    features,
    version: wanted.version,
    ...(wanted.record === undefined ? {} : { record: wanted.record }),
    placeholder: writePlaceholder(linking, wanted.row),
  });
  const { from, where, uuid, key } = source as RowSource;
  const data = order.some((term) => term.from === 'DATA') ? ', r.json AS data' : '';
  return {
    columns: `${uuid} AS uuid, ${key} AS key${data}`,
    from,
    where: where.join(' AND '),
    isSearch: !takesEveryKey(filter),
  };
};

const writeRows = (...given: Parameters<typeof selectRows>): string => {
  const { columns, from, where, isSearch } = selectRows(...given);
  // the planner would read in order of uuid until it has enough: that is the whole version where little matches
  return `SELECT ${columns} FROM ${from} WHERE ${where}${isSearch ? ' OFFSET 0' : ''}`;
};

const writeVersion = (group: LinkGroup, { parameters }: LinkWriting): string => {
  const { uuid } = group.links.version;
  // a partial index is only considered where the statement itself names the version
  return isPlain(group) ? `${parameters.add(uuid)}::uuid` : `'${uuid.replaceAll("'", "''")}'::uuid`;
};

const writeMatching = (group: LinkGroup, linking: LinkCondition, writing: LinkWriting): string => {
  const { parameters } = writing;
  const { links, members } = group;
  const columns = valueColumns(linking);
  const arrays = [
    `${parameters.add(members.map(({ place }) => place))}::int[]`,
    ...columns.map((_, index) => `${parameters.add(members.map(({ request }) => request.values[index]))}::text[]`),
  ];
  const wanted: WantedRows = { row: 'parent', version: writeVersion(group, writing) };
  const parents = `unnest(${arrays.join(', ')}) AS parent(${['request', ...columns].join(', ')})`;
  const order = writeLinkOrder(links.order, { row: 'found', identity: ['found.uuid'] }, writing);
  const limit = `${parameters.add(links.limit)}::int`;
  if (members.length > 1 && links.version.domainType === 'SERVICE_DATA_STORE') {
    // a join: without an index all records of the target are read once, and not once for each that refers
    const rows = selectRows(group, linking, writing, wanted);
    return `SELECT ranked.request, ranked.place, ranked.uuid
            FROM (
              SELECT found.request, found.uuid, row_number() OVER (PARTITION BY found.request ORDER BY ${order}) AS place
              FROM (SELECT parent.request, ${rows.columns} FROM ${parents} CROSS JOIN ${rows.from} WHERE ${rows.where}) AS found
            ) AS ranked
            WHERE ranked.place <= ${limit}`;
  }
  const rows = writeRows(group, linking, writing, wanted);
  return `SELECT parent.request, hit.place, hit.uuid
          FROM ${parents}
          CROSS JOIN LATERAL (
            SELECT ordered.uuid, row_number() OVER () AS place
            FROM (SELECT found.uuid FROM (${rows}) AS found ORDER BY ${order} LIMIT ${limit}) AS ordered
          ) AS hit`;
};

/** A key leads to the record that has it, otherwise to one that an adaptor links by it. */
const writeTarget = (version: string): string =>
  `coalesce(parent.uuid,
     (SELECT own.uuid FROM data_record own
      WHERE own.domain_version_uuid = ${version} AND own.key_digest = decode(parent.digest, 'hex')),
     (SELECT linked.record_uuid FROM record_link linked
      WHERE linked.domain_version_uuid = ${version} AND linked.key_digest = decode(parent.digest, 'hex')
      ORDER BY linked.record_uuid LIMIT 1))`;

const writePosted = (group: LinkGroup, linking: LinkCondition, writing: LinkWriting): string => {
  const { parameters } = writing;
  const { links, members } = group;
  const columns = valueColumns(linking);
  const posted = members.flatMap(({ place, request }) =>
    (request.targets ?? []).map((target, index) => ({ place, request, target, index })),
  );
  const arrays = [
    `${parameters.add(posted.map(({ place }) => place))}::int[]`,
    `${parameters.add(posted.map(({ index }) => index))}::int[]`,
    `${parameters.add(posted.map(({ target }) => (target.kind === 'UUID' ? target.uuid : null)))}::uuid[]`,
    `${parameters.add(posted.map(({ target }) => (target.kind === 'KEY' ? target.keyDigest : null)))}::text[]`,
    ...columns.map((_, index) => `${parameters.add(posted.map(({ request }) => request.values[index]))}::text[]`),
  ];
  const version = writeVersion(group, writing);
  const rows = writeRows(group, linking, writing, { row: 'parent', record: 'target.uuid', version });
  const order = writeLinkOrder(links.order, { row: 'found', identity: ['parent.index'] }, writing);
  return `SELECT ranked.request, ranked.place, ranked.uuid
          FROM (
            SELECT parent.request, found.uuid, row_number() OVER (PARTITION BY parent.request ORDER BY ${order}) AS place
            FROM unnest(${arrays.join(', ')}) AS parent(${['request', 'index', 'uuid', 'digest', ...columns].join(', ')})
            CROSS JOIN LATERAL (SELECT ${writeTarget(version)} AS uuid) AS target
            CROSS JOIN LATERAL (${rows}) AS found
          ) AS ranked
          WHERE ranked.place <= ${parameters.add(links.limit)}::int`;
};

/** `request`, `place` and `uuid` of the records that the requests of a group lead to. */
export const writeLinks = (group: LinkGroup, writing: LinkWriting): string => {
  const { posted, matching } = group.links;
  if (group.kind === 'POSTED') return writePosted(group, posted, writing);
  if (matching === undefined) throw new TypeError('no condition on the records that a reference links');
  return writeMatching(group, matching, writing);
};
