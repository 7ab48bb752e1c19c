import type { PrismaTransaction } from '@fds/database';
import { stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import {
  mapReferences,
  readReference,
  referencesIn,
  referencesOf,
  toStoredReference,
  type CompiledModel,
  type Reference,
  type ReferenceTarget,
} from '@fds/model-schema';
import type { DataAccess, DataVersion } from '../../domain/versions/seen-data.js';
import { domainNameKey } from '../../domain/domains/domain.js';
import { loadModel, uniqueTargets } from './load-model.js';

/** A version whose records can be the targets of references. */
interface TargetVersion extends DataVersion {
  readonly model: CompiledModel;
}

/** A stored reference of a record. */
interface RecordReference {
  /** JSON pointer in the record. */
  readonly pointer: string;
  readonly targetUuid: string;
}

/** The stored form of a record's references. */
interface ResolvedReferences {
  readonly stored: JsonObject;
  readonly references: readonly RecordReference[];
  /** JSON pointers of references without a target record. */
  readonly unknown: readonly string[];
  /** JSON pointers of references that several records match. */
  readonly ambiguous: readonly string[];
}

/** @param before the stored record: its reference to a federated target that no longer exists stays */
export type ResolveReferences = (record: JsonObject, before: JsonObject) => ResolvedReferences;

const versionKey = (domain: string, versionNumber: number): string => `${domain.toLowerCase()}:${versionNumber}`;

/** The versions that a model refers to. */
const loadTargetVersions = async (
  tx: PrismaTransaction,
  own: TargetVersion,
): Promise<ReadonlyMap<string, TargetVersion>> => {
  const wanted = uniqueTargets(
    referencesOf(own.model).map(({ reference }) => ({
      versionNumber: reference.version,
      domain: { nameKey: domainNameKey(reference.domain) },
    })),
  );
  const versions =
    wanted.length === 0 ? [] : await tx.domainVersion.findMany({ where: { OR: wanted }, include: { domain: true } });
  const loaded = new Map<string, TargetVersion>();
  for (const version of versions) {
    const { uuid, domainUuid, domain } = version;
    const target =
      uuid === own.uuid ? own : { uuid, domainUuid, zoneUuid: domain.zoneUuid, model: await loadModel(version) };
    loaded.set(versionKey(domain.name, version.versionNumber), target);
  }
  return loaded;
};

/** The properties or the uuid that identify a target in a lookup. */
const lookupOf = (target: ReferenceTarget): string => {
  if (target.kind === 'UUID') return target.uuid;
  return target.kind === 'KEY' ? target.keyDigest : stringifyJson(target.part);
};

const targetKey = (versionUuid: string, target: ReferenceTarget): string =>
  `${versionUuid} ${target.kind} ${lookupOf(target)}`;

interface Wanted {
  readonly version: TargetVersion;
  readonly target: ReferenceTarget;
}

/** A record that matches a requested target, with the adaptor whose data matches. */
interface Hit {
  readonly place: number;
  readonly uuid: string;
  readonly adaptor_uuid: string | null;
  readonly adaptor_zone_uuid: string | null;
  readonly is_federated: boolean;
  readonly is_linked: boolean;
}

/** Most records that a lookup reads for a part of a key. */
const maxOfPart = 1_000;

/**
 * May the caller find the record in this way? A lookup by properties is allowed only if the caller may see these
 * properties of this record.
 */
const isSeen = (dataAccess: DataAccess | undefined, { version, target }: Wanted, hit: Hit): boolean => {
  if (dataAccess === undefined) return true;
  const access = dataAccess.of('GET', version);
  const required = target.kind === 'PART' ? Object.keys(target.part) : version.model.drKeyProperties;
  const shows = ({ extent, names }: ReturnType<typeof access.own.of>): boolean =>
    target.kind === 'UUID' ? extent !== 'NONE' : required.every((name) => names.has(name));
  const { adaptor_uuid: adaptorUuid, adaptor_zone_uuid: zoneUuid } = hit;
  const isOwnSeen = shows(access.own.of(hit.uuid));
  // a federated record with a link has no key except that of its link
  if (adaptorUuid === null) return isOwnSeen && !(hit.is_federated && hit.is_linked);
  const isLinkSeen = zoneUuid !== null && shows(access.at({ adaptorUuid, zoneUuid }).of(hit.uuid));
  return isLinkSeen && (hit.is_federated || isOwnSeen);
};

interface LoadedTargets {
  /** Uuids of records that the caller may find, by `targetKey`. */
  readonly found: ReadonlyMap<string, readonly string[]>;
  /** Uuids of existing records, regardless of the caller. */
  readonly existing: ReadonlySet<string>;
}

/** Finds the targets of references. A record's own key takes precedence over one that an adaptor has for another record. */
const loadTargets = async (
  tx: PrismaTransaction,
  wanted: readonly Wanted[],
  dataAccess: DataAccess | undefined,
): Promise<LoadedTargets> => {
  if (wanted.length === 0) return { found: new Map(), existing: new Set() };
  const versionUuids = wanted.map(({ version }) => version.uuid);
  const kinds = wanted.map(({ target }) => target.kind);
  const lookups = wanted.map(({ target }) => lookupOf(target));
  const hits = await tx.$queryRaw<Hit[]>`
    WITH wanted AS (
      SELECT version_uuid, kind, lookup, place::int AS place
      FROM unnest(${versionUuids}::uuid[], ${kinds}::text[], ${lookups}::text[])
        WITH ORDINALITY AS w(version_uuid, kind, lookup, place)
    ), keyed AS MATERIALIZED (
      SELECT place, version_uuid, decode(lookup, 'hex') AS digest FROM wanted WHERE kind = 'KEY'
    ), named AS MATERIALIZED (
      SELECT place, version_uuid, lookup::uuid AS uuid FROM wanted WHERE kind = 'UUID'
    ), partial AS MATERIALIZED (
      SELECT place, version_uuid, lookup::jsonb AS part FROM wanted WHERE kind = 'PART'
    ), hit AS (
      SELECT w.place, l.record_uuid AS uuid, l.adaptor_uuid, 1 AS rank FROM keyed w
        JOIN record_link l ON l.domain_version_uuid = w.version_uuid AND l.key_digest = w.digest
      UNION ALL
      SELECT w.place, r.uuid, NULL, 0 FROM keyed w
        JOIN data_record r ON r.domain_version_uuid = w.version_uuid AND r.key_digest = w.digest
      UNION ALL
      SELECT w.place, r.uuid, NULL, 0 FROM named w
        JOIN data_record r ON r.uuid = w.uuid AND r.domain_version_uuid = w.version_uuid
      UNION ALL
      SELECT w.place, l.record_uuid, l.adaptor_uuid, 1 FROM named w
        JOIN record_link l ON l.record_uuid = w.uuid AND l.domain_version_uuid = w.version_uuid
      UNION ALL
      SELECT w.place, fit.uuid, NULL, 0 FROM partial w CROSS JOIN LATERAL (
        SELECT r.uuid FROM data_record r WHERE r.domain_version_uuid = w.version_uuid AND r.dr_key @> w.part
        LIMIT ${maxOfPart}::int
      ) AS fit
    )
    SELECT h.place, h.uuid::text AS uuid, h.adaptor_uuid::text AS adaptor_uuid, a.zone_uuid::text AS adaptor_zone_uuid,
           r.json IS NULL AS is_federated,
           EXISTS (SELECT FROM record_link l WHERE l.record_uuid = h.uuid) AS is_linked
    FROM hit h JOIN data_record r ON r.uuid = h.uuid LEFT JOIN adaptor a ON a.uuid = h.adaptor_uuid
    ORDER BY h.rank, h.uuid`;
  const found = new Map<string, string[]>();
  for (const hit of hits) {
    const asked = wanted[hit.place - 1];
    if (asked === undefined || !isSeen(dataAccess, asked, hit)) continue;
    const key = targetKey(asked.version.uuid, asked.target);
    const uuids = found.get(key) ?? [];
    if (!uuids.includes(hit.uuid)) found.set(key, [...uuids, hit.uuid]);
  }
  return { found, existing: new Set(hits.map(({ uuid }) => uuid)) };
};

/**
 * Reads the targets of references in valid records with two statements. Returns a function that resolves the
 * references.
 *
 * @param dataAccess the data that rules show to the caller: references find no other data. Default: everything
 */
export const openReferenceResolver = async (
  tx: PrismaTransaction,
  version: TargetVersion,
  records: readonly JsonObject[],
  dataAccess?: DataAccess,
): Promise<ResolveReferences> => {
  const versions = await loadTargetVersions(tx, version);
  const targetOf = (reference: Reference, value: JsonValue) => {
    const known = versions.get(versionKey(reference.domain, reference.version));
    const target = known === undefined ? undefined : readReference(known.model, value);
    return known === undefined || target === undefined ? undefined : { version: known, target };
  };
  const wanted = records.flatMap((record) =>
    referencesIn(version.model, record).flatMap(({ reference, value }) => targetOf(reference, value) ?? []),
  );
  const { found: targets, existing } = await loadTargets(tx, wanted, dataAccess);

  return (record, before) => {
    const held = new Set(
      referencesIn(version.model, before).flatMap(({ reference, value }) => {
        const target = targetOf(reference, value)?.target;
        return target?.kind === 'UUID' ? target.uuid : [];
      }),
    );
    const [references, unknown, ambiguous]: [RecordReference[], string[], string[]] = [[], [], []];
    const stored = mapReferences(version.model, record, ({ reference, pointer, value }) => {
      const aim = targetOf(reference, value);
      const heldUuid = aim?.target.kind === 'UUID' && held.has(aim.target.uuid) ? aim.target.uuid : undefined;
      const found = aim === undefined ? [] : (targets.get(targetKey(aim.version.uuid, aim.target)) ?? []);
      // for a whole key, the first match counts
      if (aim?.target.kind === 'PART' && found.length > 1) {
        ambiguous.push(pointer);
        return value;
      }
      // an existing reference of the record is kept for every writer
      const targetUuid = found[0] ?? (heldUuid !== undefined && existing.has(heldUuid) ? heldUuid : undefined);
      if (targetUuid !== undefined) {
        references.push({ pointer, targetUuid });
        return toStoredReference(targetUuid);
      }
      if (heldUuid === undefined) unknown.push(pointer);
      return value;
    });
    return { stored, references, unknown, ambiguous };
  };
};
