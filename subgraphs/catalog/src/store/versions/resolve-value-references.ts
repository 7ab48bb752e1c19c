import type { PrismaTransaction } from '@fds/database';
import type { JsonObject, JsonValue } from '@fds/json';
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
import { domainNameKey } from '../../domain/domains/domain.js';
import { storedModel } from '../../domain/versions/domain-version.js';

/** A version as records of it can be referred to. */
interface TargetVersion {
  readonly uuid: string;
  readonly model: CompiledModel;
}

/** A reference as it is kept beside the record that holds it. */
export interface RecordReference {
  /** JSON pointer in the record. */
  readonly pointer: string;
  readonly targetUuid: string;
}

/** What a record's references are as they are stored. */
interface ResolvedReferences {
  readonly stored: JsonObject;
  readonly references: readonly RecordReference[];
  /** JSON pointers of those that point at no record. */
  readonly unknown: readonly string[];
}

/** @param before the record as it is stored: a federated target that has gone since is let stand */
export type ResolveReferences = (record: JsonObject, before: JsonObject) => ResolvedReferences;

const versionKey = (domain: string, versionNumber: number): string => `${domain.toLowerCase()}:${versionNumber}`;

/** The versions that a model refers to. */
const loadTargetVersions = async (
  tx: PrismaTransaction,
  own: TargetVersion,
): Promise<ReadonlyMap<string, TargetVersion>> => {
  const wanted = referencesOf(own.model).map(({ reference }) => ({
    versionNumber: reference.version,
    domain: { nameKey: domainNameKey(reference.domain) },
  }));
  const versions =
    wanted.length === 0
      ? []
      : await tx.domainVersion.findMany({ where: { OR: wanted }, include: { domain: { select: { name: true } } } });
  return new Map(
    versions.map((version) => [
      versionKey(version.domain.name, version.versionNumber),
      version.uuid === own.uuid ? own : { uuid: version.uuid, model: storedModel(version) },
    ]),
  );
};

const targetKey = (versionUuid: string, target: ReferenceTarget): string =>
  `${versionUuid} ${target.kind === 'UUID' ? target.uuid : target.keyDigest}`;

interface Hit {
  readonly uuid: string;
  readonly domain_version_uuid: string;
  readonly key_digest: string;
}

/** Uuids of records by `targetKey`. A record's own key goes before one that an adaptor has for another record. */
const loadTargets = async (
  tx: PrismaTransaction,
  wanted: readonly { readonly version: TargetVersion; readonly target: ReferenceTarget }[],
): Promise<ReadonlyMap<string, string>> => {
  if (wanted.length === 0) return new Map();
  const uuids = wanted.flatMap(({ target }) => (target.kind === 'UUID' ? target.uuid : []));
  const keyed = wanted.flatMap(({ version, target }) =>
    target.kind === 'KEY' ? { versionUuid: version.uuid, keyDigest: target.keyDigest } : [],
  );
  const versionUuids = keyed.map(({ versionUuid }) => versionUuid);
  const digests = keyed.map(({ keyDigest }) => keyDigest);
  const hits = await tx.$queryRaw<Hit[]>`
    WITH wanted AS (
      SELECT version_uuid, decode(digest, 'hex') AS digest
      FROM unnest(${versionUuids}::uuid[], ${digests}::text[]) AS w(version_uuid, digest)
    ), hit AS (
      SELECT l.record_uuid AS uuid, l.domain_version_uuid, l.key_digest, 0 AS rank FROM wanted w
        JOIN record_link l ON l.domain_version_uuid = w.version_uuid AND l.key_digest = w.digest
      UNION
      SELECT r.uuid, r.domain_version_uuid, r.key_digest, 1 FROM wanted w
        JOIN data_record r ON r.domain_version_uuid = w.version_uuid AND r.key_digest = w.digest
      UNION
      SELECT r.uuid, r.domain_version_uuid, r.key_digest, 1 FROM data_record r WHERE r.uuid = ANY (${uuids}::uuid[])
    )
    SELECT uuid::text AS uuid, domain_version_uuid::text AS domain_version_uuid, encode(key_digest, 'hex') AS key_digest
    FROM hit ORDER BY rank`;
  return new Map(
    hits.flatMap((hit) => [
      [`${hit.domain_version_uuid} ${hit.uuid}`, hit.uuid] as const,
      [`${hit.domain_version_uuid} ${hit.key_digest}`, hit.uuid] as const,
    ]),
  );
};

/** Reads what the references of valid records point at, in two statements, and answers the function that resolves them. */
export const openReferenceResolver = async (
  tx: PrismaTransaction,
  version: TargetVersion,
  records: readonly JsonObject[],
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
  const targets = await loadTargets(tx, wanted);

  return (record, before) => {
    const held = new Set(
      referencesIn(version.model, before).flatMap(({ reference, value }) => {
        const target = targetOf(reference, value)?.target;
        return target?.kind === 'UUID' ? target.uuid : [];
      }),
    );
    const [references, unknown]: [RecordReference[], string[]] = [[], []];
    const stored = mapReferences(version.model, record, ({ reference, pointer, value }) => {
      const aim = targetOf(reference, value);
      const targetUuid = aim === undefined ? undefined : targets.get(targetKey(aim.version.uuid, aim.target));
      if (targetUuid !== undefined) {
        references.push({ pointer, targetUuid });
        return toStoredReference(targetUuid);
      }
      if (aim?.target.kind !== 'UUID' || !held.has(aim.target.uuid)) unknown.push(pointer);
      return value;
    });
    return { stored, references, unknown };
  };
};
