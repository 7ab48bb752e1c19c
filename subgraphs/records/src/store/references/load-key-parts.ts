import type { SqlSession } from '@fds/database';
import { stringifyJson, type JsonObject } from '@fds/json';
import { writeVisible, type Visibility, createSqlParameters } from '@fds/search';
import type { DomainVersionView } from '../../domain/catalog.js';
import type { LoadedPart } from '../../domain/references/reference-book.js';
import type { TargetRecord } from '../../domain/references/resolve-references.js';

/** A part of a DR Key by which a reference names a record. */
export interface WantedPart {
  readonly version: DomainVersionView;
  readonly part: JsonObject;
}

/** The visibility of rows that are found by these properties of a version; undefined: the caller sees every row. */
export type VisibilityOf = (version: DomainVersionView, required: readonly string[]) => Visibility | undefined;

/** Two records are too many already. Some of the records may belong to the batch and have another key there. */
const maxOfPart = 8;

interface Row {
  readonly place: number;
  readonly uuid: string;
  readonly dr_key: JsonObject;
}

/**
 * Records by parts of the same properties of one version. The statement joins by equal values, so that it reads the version
 * once, however many parts there are.
 */
const loadOfProperties = async (
  client: SqlSession,
  wanted: readonly WantedPart[],
  { version, names }: { readonly version: DomainVersionView; readonly names: readonly string[] },
  visibility: Visibility | undefined,
): Promise<LoadedPart[]> => {
  const parameters = createSqlParameters();
  const parts = parameters.add(wanted.map(({ part }) => stringifyJson(part)));
  const versionUuid = parameters.add(version.uuid);
  const equal = names
    .map((name) => parameters.add(name))
    .map((name) => `(k.dr_key -> ${name}::text) = (w.part -> ${name}::text)`)
    .join(' AND ');
  const seen = (uuid: string, adaptor: string | null): string =>
    visibility === undefined ? 'true' : writeVisible(visibility, version.uuid, { uuid, adaptor }, parameters);
  const keys =
    version.domainType === 'SERVICE_DATA_STORE'
      ? `SELECT r.uuid, r.dr_key FROM data_record r
         WHERE r.domain_version_uuid = ${versionUuid}::uuid AND ${seen('r.uuid', null)}`
      : `SELECT l.record_uuid, l.dr_key FROM record_link l
         WHERE l.domain_version_uuid = ${versionUuid}::uuid AND ${seen('l.record_uuid', 'l.adaptor_uuid')}
         UNION ALL
         SELECT r.uuid, r.dr_key FROM data_record r
         WHERE r.domain_version_uuid = ${versionUuid}::uuid AND ${seen('r.uuid', null)}
           AND NOT EXISTS (SELECT FROM record_link l WHERE l.record_uuid = r.uuid)`;
  const { rows } = await client.query<Row>({
    text: `WITH wanted AS (
             SELECT part::jsonb AS part, place::int AS place
             FROM unnest(${parts}::text[]) WITH ORDINALITY AS w(part, place)
           ), fitting AS (
             SELECT DISTINCT w.place, k.uuid FROM wanted w JOIN (${keys}) AS k(uuid, dr_key) ON ${equal}
           ), counted AS (
             SELECT place, uuid, row_number() OVER (PARTITION BY place ORDER BY uuid) AS number FROM fitting
           )
           SELECT c.place, c.uuid, r.dr_key FROM counted c JOIN data_record r ON r.uuid = c.uuid
           WHERE c.number <= ${maxOfPart}`,
    values: [...parameters.values],
  });
  const loaded = wanted.map(({ part }) => ({ domainVersionUuid: version.uuid, part, targets: [] as TargetRecord[] }));
  for (const { place, uuid, dr_key: drKey } of rows) {
    loaded[place - 1]?.targets.push({ uuid, domainVersionUuid: version.uuid, drKey });
  }
  return loaded;
};

/** Records by parts of their DR Keys: those that the caller may see with these properties; one statement for each set of properties. */
export const loadKeyParts = async (
  client: SqlSession,
  wanted: readonly WantedPart[],
  visibilityOf: VisibilityOf = () => undefined,
): Promise<LoadedPart[]> => {
  const groups = new Map<string, WantedPart[]>();
  for (const each of wanted) {
    const key = `${each.version.uuid} ${Object.keys(each.part).join()}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  const loaded: LoadedPart[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { version, part } = first;
    const names = Object.keys(part);
    loaded.push(...(await loadOfProperties(client, group, { version, names }, visibilityOf(version, names))));
  }
  return loaded;
};
