import type { ErrorCause } from '@fds/errors';
import type { JsonObject, JsonValue } from '@fds/json';
import {
  mapReferences,
  readReference,
  referencesIn,
  toStoredReference,
  type CompiledModel,
  type PresentReference,
  type ReferenceTarget,
} from '@fds/model-schema';
import type { Catalog } from '../catalog.js';
import { hasKeyPart } from '../records/has-key-part.js';
import type { RecordKey } from '../records/record-key.js';

/** A record that references may point at. */
export interface TargetRecord {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  readonly drKey: JsonObject;
}

/** The record whose references are looked up: it may refer to itself, also before it exists. */
export interface OwnRecord extends TargetRecord {
  /** Hexadecimal. */
  readonly keyDigest: string;
}

/** Finds the target of a reference, among the records of the version that it names. */
export interface TargetFinder {
  /** Those that who asks may find so; several only by a part of a key, and then not all of them. */
  findTargets(domainVersionUuid: string, target: ReferenceTarget): readonly TargetRecord[];
  /** For every caller: a reference that the record has already. */
  findKept(domainVersionUuid: string, uuid: string): TargetRecord | undefined;
}

/** A reference as it is stored for the record that contains it. */
export interface RecordReference {
  /** JSON pointer in the record. */
  readonly pointer: string;
  readonly targetUuid: string;
}

/** A valid record with its references in both forms. */
export interface ResolvedRecord {
  /** As it is stored: `{"$ref": "/drs/<uuid>"}`. Outlives a change of the target's key. */
  readonly stored: JsonObject;
  /** As sources know it: the target's DR Key, the value or an object of several. */
  readonly keyed: JsonObject;
  readonly references: readonly RecordReference[];
}

export type Resolution =
  | ({ readonly valid: true } & ResolvedRecord)
  | {
      readonly valid: false;
      readonly errors: readonly ErrorCause[];
      /** Keys that no record has. */
      readonly awaited: readonly RecordKey[];
    };

const isOwn = (own: OwnRecord, domainVersionUuid: string, target: ReferenceTarget): boolean => {
  if (own.domainVersionUuid !== domainVersionUuid) return false;
  if (target.kind === 'UUID') return target.uuid === own.uuid;
  return target.kind === 'KEY' ? target.keyDigest === own.keyDigest : hasKeyPart(own.drKey, target.part);
};

/** A DR Key as the value of a reference: the value itself, or an object where the key has several properties. */
export const toKeyValue = (drKey: JsonObject): JsonValue => {
  const values = Object.values(drKey);
  return values.length === 1 ? (values[0] ?? null) : drKey;
};

/** Uuids that a stored record refers to. */
const storedTargets = (model: CompiledModel, stored: JsonObject): ReadonlySet<string> =>
  new Set(
    referencesIn(model, stored).flatMap(({ value }) => {
      const target = readReference(model, value);
      return target?.kind === 'UUID' ? [target.uuid] : [];
    }),
  );

/**
 * Looks up every reference of a valid record. A reference to a federated target that has gone since it was stored stays.
 *
 * @param record checked against the model before
 * @param own the record itself, with the key that it gets. A reference that it already has by uuid stays, for every
 *   writer.
 *
 * @param before the stored record, if any
 * @param isOwnFound may the writer find the record itself so? Default: yes
 * @returns UNKNOWN_REFERENCE for each that points at no record, AMBIGUOUS_REFERENCE for each that several records fit, with
 * its pointer from the top of the record
 */
export const resolveReferences = (
  { catalog, targets }: { readonly catalog: Pick<Catalog, 'version'>; readonly targets: TargetFinder },
  model: CompiledModel,
  record: JsonObject,
  {
    own,
    before,
    isOwnFound = () => true,
  }: {
    readonly own: OwnRecord;
    readonly before: JsonObject | null;
    readonly isOwnFound?: (target: ReferenceTarget) => boolean;
  },
): Resolution => {
  const errors: ErrorCause[] = [];
  const awaited: RecordKey[] = [];
  const references: RecordReference[] = [];
  const keys = new Map<string, JsonValue>();
  let kept: ReadonlySet<string> | undefined;
  const isKept = (uuid: string): boolean => before !== null && (kept ??= storedTargets(model, before)).has(uuid);

  const find = (versionUuid: string, target: ReferenceTarget): readonly TargetRecord[] => {
    if (isOwn(own, versionUuid, target)) {
      const others = target.kind === 'PART' ? targets.findTargets(versionUuid, target) : [];
      const found = others.filter(({ uuid }) => uuid !== own.uuid);
      return isOwnFound(target) ? [own, ...found] : found;
    }
    const kept = target.kind === 'UUID' && isKept(target.uuid) ? targets.findKept(versionUuid, target.uuid) : undefined;
    if (kept !== undefined) return [kept];
    // the record itself has another key now
    return targets.findTargets(versionUuid, target).filter(({ uuid }) => target.kind !== 'PART' || uuid !== own.uuid);
  };

  const resolve = ({ reference, pointer, value }: PresentReference): JsonValue => {
    const version = catalog.version(reference.domain, reference.version);
    const target = version === undefined ? undefined : readReference(version.model, value);
    if (version !== undefined && target !== undefined) {
      const [found, ...others] = find(version.uuid, target);
      if (found !== undefined && others.length === 0) {
        references.push({ pointer, targetUuid: found.uuid });
        keys.set(pointer, toKeyValue(found.drKey));
        return toStoredReference(found.uuid);
      }
      if (found !== undefined) {
        const detail = `several records of ${reference.domain}:v${reference.version} fit the value: name more of their DR Key`;
        errors.push({ pointer, code: 'AMBIGUOUS_REFERENCE', detail });
        return value;
      }
      if (target.kind === 'UUID' && isKept(target.uuid)) return value;
      if (target.kind === 'KEY') awaited.push({ domainVersionUuid: version.uuid, keyDigest: target.keyDigest });
    }
    const detail = `the value points at no record of ${reference.domain}:v${reference.version}`;
    errors.push({ pointer, code: 'UNKNOWN_REFERENCE', detail });
    return value;
  };

  const stored = mapReferences(model, record, resolve);
  if (errors.length > 0) return { valid: false, errors, awaited };
  const keyed = mapReferences(model, record, ({ pointer, value }) => keys.get(pointer) ?? value);
  return { valid: true, stored, keyed, references };
};
