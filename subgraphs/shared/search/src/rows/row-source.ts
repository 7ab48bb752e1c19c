import { comparisonOf } from '../condition/search-condition.js';
import { foldText } from '../values/fold-text.js';
import { writeCondition, type ConditionTarget } from '../sql/write-condition.js';
import { type DatabaseFeatures } from '../sql/database-features.js';
import { type SqlParameters } from '../sql/sql-parameters.js';
import { takesEveryKey, type ListingFilter } from './listing-filter.js';
import { writePerVersion, writeVisible } from './visibility.js';

/** Rows of a listing as SQL: each has a record, an adaptor (or null), and the key that it is known by. */
export interface RowSource {
  readonly from: string;
  readonly where: readonly string[];
  readonly uuid: string;
  readonly adaptor: string;
  readonly key: string;
}

/** How a listing is being written. */
export interface Writing {
  readonly parameters: SqlParameters;
  readonly features: DatabaseFeatures;
  /** SQL of the version's uuid: a literal where an index of the version may serve, otherwise a parameter. */
  readonly version: string;
  /** SQL of the uuid of the only record that is meant. Default: all. */
  readonly record?: string;
  /** Values of the parent record, where the condition has placeholders. */
  readonly placeholder?: NonNullable<ConditionTarget['placeholder']>;
  /** How the planner estimates a condition whose values it does not see. Default: it sees them. */
  readonly unseen?: NonNullable<ConditionTarget['unseen']>;
}

/** `adaptor` of a source whose rows have none. */
export const noAdaptor = 'NULL::uuid';

type Alias = Pick<RowSource, 'uuid' | 'key'>;

const ofRecord = { uuid: 'r.uuid', key: 'r.dr_key' } as const;
const ofLink = { uuid: 'l.record_uuid', key: 'l.dr_key' } as const;

const writeKeyTests = (filter: ListingFilter, { uuid, key }: Alias, writing: Writing): string[] => {
  const { condition, drKey } = filter;
  const { parameters, features, placeholder, unseen } = writing;
  const tests: string[] = [];
  if (condition !== undefined) {
    const target = {
      key,
      uuid,
      parameters,
      features,
      ...(unseen && { unseen }),
      ...(placeholder && { placeholder }),
    };
    tests.push(writeCondition(target, condition));
  }
  if (drKey !== undefined) {
    const { property, value } = drKey;
    const text = comparisonOf(property) === 'text';
    const literal = { kind: 'literal', value: text ? foldText(value) : value } as const;
    if (comparisonOf(property) !== 'instant') {
      const test = { kind: 'test', property, test: { kind: 'equals', value: literal } } as const;
      tests.push(writeCondition({ key, uuid, parameters, features }, test));
    }
    // the index folds, this filter does not
    if (property.type === 'string' && comparisonOf(property) !== 'number')
      tests.push(`(${key} ->> '${property.name}') = ${parameters.add(value)}::text`);
  }
  return tests;
};

const writeUuids = ({ drUuids }: ListingFilter, uuid: string, { parameters, record }: Writing): string[] => [
  ...(drUuids === undefined ? [] : [`${uuid} = ANY (${parameters.add(drUuids)}::uuid[])`]),
  ...(record === undefined ? [] : [`${uuid} = ${record}`]),
];

/** Rows that all are linked, or none; of the filter's version. */
const writeSeen = (
  { visibility, version }: ListingFilter,
  { uuid }: Alias,
  adaptor: string | null,
  writing: Writing,
) => (visibility === undefined ? [] : [writeVisible(visibility, version?.uuid, { uuid, adaptor }, writing.parameters)]);

const links = (filter: ListingFilter, writing: Writing): RowSource => ({
  ...ofLink,
  from: 'record_link l',
  adaptor: 'l.adaptor_uuid',
  where: [
    `l.domain_version_uuid = ${writing.version}`,
    ...(filter.adaptorUuid === undefined
      ? []
      : [`l.adaptor_uuid = ${writing.parameters.add(filter.adaptorUuid)}::uuid`]),
    ...writeUuids(filter, ofLink.uuid, writing),
    ...writeKeyTests(filter, ofLink, writing),
    ...writeSeen(filter, ofLink, 'l.adaptor_uuid', writing),
  ],
});

/** Federated records that no adaptor links yet. */
const unlinked = (filter: ListingFilter, writing: Writing): RowSource => ({
  ...ofRecord,
  from: 'data_record r',
  adaptor: noAdaptor,
  where: [
    `r.domain_version_uuid = ${writing.version}`,
    ...writeUuids(filter, ofRecord.uuid, writing),
    ...writeKeyTests(filter, ofRecord, writing),
    ...writeSeen(filter, ofRecord, null, writing),
    'NOT EXISTS (SELECT FROM record_link k WHERE k.record_uuid = r.uuid)',
  ],
});

const joinLinks = ({ adaptorUuid }: ListingFilter, { parameters }: Writing): string =>
  adaptorUuid === undefined
    ? 'LEFT JOIN record_link l ON l.record_uuid = r.uuid AND r.json IS NULL'
    : `JOIN record_link l ON l.record_uuid = r.uuid AND l.adaptor_uuid = ${parameters.add(adaptorUuid)}::uuid`;

/** Rows of records joined with their links, of any version. */
const writeSeenBeside = ({ visibility, adaptorUuid }: ListingFilter, { parameters }: Writing): string[] => {
  if (visibility === undefined) return [];
  return [
    writePerVersion(visibility, 'r.domain_version_uuid', parameters, ({ uuid: version, domainType }) => {
      const own = writeVisible(visibility, version, { uuid: 'r.uuid', adaptor: null }, parameters);
      if (domainType === 'SERVICE_DATA_STORE' && adaptorUuid === undefined) return own;
      const linked = writeVisible(visibility, version, { uuid: 'r.uuid', adaptor: 'l.adaptor_uuid' }, parameters);
      return domainType === 'FEDERATED'
        ? `(CASE WHEN l.adaptor_uuid IS NULL THEN ${own} ELSE ${linked} END)`
        : `(${own} AND ${linked})`;
    }),
  ];
};

/** Records joined with their links; in order of record and adaptor without a sort. */
const joined = (filter: ListingFilter, writing: Writing): RowSource => ({
  uuid: ofRecord.uuid,
  key: 'coalesce(l.dr_key, r.dr_key)',
  from: `data_record r ${joinLinks(filter, writing)}`,
  adaptor: 'l.adaptor_uuid',
  where: [
    ...(filter.version === undefined ? [] : [`r.domain_version_uuid = ${writing.version}`]),
    ...writeUuids(filter, ofRecord.uuid, writing),
    ...writeSeenBeside(filter, writing),
  ],
});

/**
 * A row for each visible record: through a visible link, which lends it its key, or as the server has it if it has no
 * link.
 */
const seenRecords = (filter: ListingFilter, writing: Writing, where: readonly string[]): RowSource => {
  const { visibility = { versions: [], required: [] } } = filter;
  const { parameters } = writing;
  const ofVersions = (test: Parameters<typeof writePerVersion>[3]): string =>
    writePerVersion(visibility, 'r.domain_version_uuid', parameters, test);
  const linkSeen = ofVersions(({ uuid: version }) =>
    writeVisible(visibility, version, { uuid: ofLink.uuid, adaptor: 'l.adaptor_uuid' }, parameters),
  );
  const recordSeen = ofVersions(({ uuid: version, domainType }) => {
    const own = writeVisible(visibility, version, { uuid: ofRecord.uuid, adaptor: null }, parameters);
    if (domainType === 'SERVICE_DATA_STORE') return own;
    return `(l.adaptor_uuid IS NOT NULL OR (${own} AND NOT EXISTS (SELECT FROM record_link k WHERE k.record_uuid = r.uuid)))`;
  });
  const tests = [linkSeen, ...writeKeyTests(filter, ofLink, writing)];
  return {
    uuid: ofRecord.uuid,
    key: 'coalesce(l.dr_key, r.dr_key)',
    adaptor: 'l.adaptor_uuid',
    from: `data_record r LEFT JOIN LATERAL (
             SELECT l.adaptor_uuid, l.dr_key FROM record_link l
             WHERE l.record_uuid = r.uuid AND r.json IS NULL AND ${tests.join(' AND ')}
             ORDER BY l.adaptor_uuid LIMIT 1
           ) AS l ON true`,
    where: [
      ...(filter.version === undefined ? [] : [`r.domain_version_uuid = ${writing.version}`]),
      ...writeUuids(filter, ofRecord.uuid, writing),
      ...where,
      recordSeen,
    ],
  };
};

const records = (filter: ListingFilter, writing: Writing, where: readonly string[]): RowSource => ({
  uuid: ofRecord.uuid,
  key: ofRecord.key,
  from: 'data_record r',
  adaptor: noAdaptor,
  where: [
    ...(filter.version === undefined ? [] : [`r.domain_version_uuid = ${writing.version}`]),
    ...writeUuids(filter, ofRecord.uuid, writing),
    ...where,
  ],
});

const selectUuids = ({ from, where, uuid }: RowSource): string =>
  `SELECT ${uuid} FROM ${from}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`;

const federated = (filter: ListingFilter, writing: Writing): RowSource[] => {
  if (filter.adaptorUuid !== undefined) return [links(filter, writing)];
  if (filter.rows === 'PER_LINK') return [links(filter, writing), unlinked(filter, writing)];
  const list = filter.visibility === undefined ? records : seenRecords;
  if (takesEveryKey(filter)) return [list(filter, writing, [])];
  const matching = [links(filter, writing), unlinked(filter, writing)].map(selectUuids).join(' UNION ALL ');
  return [list(filter, writing, [`r.uuid IN (${matching})`])];
};

const dataStore = (filter: ListingFilter, writing: Writing): RowSource => {
  if (filter.adaptorUuid === undefined) {
    const tests = [...writeKeyTests(filter, ofRecord, writing), ...writeSeen(filter, ofRecord, null, writing)];
    return records(filter, writing, tests);
  }
  const source = joined(filter, writing);
  return { ...source, ...ofRecord, where: [...source.where, ...writeKeyTests(filter, ofRecord, writing)] };
};

/** The rows of a listing: those of all sources together, none twice. */
export const rowSourcesOf = (filter: ListingFilter, writing: Writing): readonly RowSource[] => {
  if (filter.version === undefined) {
    if (filter.rows === 'PER_LINK' || filter.adaptorUuid !== undefined) return [joined(filter, writing)];
    return [(filter.visibility === undefined ? records : seenRecords)(filter, writing, [])];
  }
  return filter.version.domainType === 'FEDERATED' ? federated(filter, writing) : [dataStore(filter, writing)];
};

/** The same rows as one source that is already in order of record and adaptor, where there is such a source. */
export const orderedSourcesOf = (filter: ListingFilter, writing: Writing): readonly RowSource[] => {
  const perLink = filter.version?.domainType === 'FEDERATED' && filter.rows === 'PER_LINK';
  return perLink && takesEveryKey(filter) && filter.adaptorUuid === undefined
    ? [joined(filter, writing)]
    : rowSourcesOf(filter, writing);
};
