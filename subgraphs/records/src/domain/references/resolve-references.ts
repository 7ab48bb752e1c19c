import type { ErrorCause } from '@fds/errors';
import type { JsonObject, JsonValue } from '@fds/json';
import {
  mapReferences,
  readReference,
  referencesIn,
  toStoredReference,
  type CompiledModel,
  type HeldReference,
  type ReferenceTarget,
} from '@fds/model-schema';
import type { Catalog } from '../catalog.js';
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

/** Finds what a reference points at, among the records of the version that it names. */
export interface TargetFinder {
  findTarget(domainVersionUuid: string, target: ReferenceTarget): TargetRecord | undefined;
}

/** A reference as it is kept beside the record that holds it. */
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

const isOwn = (own: OwnRecord, domainVersionUuid: string, target: ReferenceTarget): boolean =>
  own.domainVersionUuid === domainVersionUuid &&
  (target.kind === 'UUID' ? target.uuid === own.uuid : target.keyDigest === own.keyDigest);

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
 * Looks up every reference of a valid record. A federated target that has gone since it was stored is let stand.
 *
 * @param record held against the model before
 * @param own the record itself, with the key that it gets
 * @param before what is stored of the record, if anything
 * @param isSeen may the writer know of the target? What the record refers to already stays. Default: of all
 * @returns UNKNOWN_REFERENCE for each that points at no record, with its pointer from the top of the record
 */
export const resolveReferences = (
  { catalog, targets }: { readonly catalog: Pick<Catalog, 'version'>; readonly targets: TargetFinder },
  model: CompiledModel,
  record: JsonObject,
  {
    own,
    before,
    isSeen = () => true,
  }: {
    readonly own: OwnRecord;
    readonly before: JsonObject | null;
    readonly isSeen?: (target: TargetRecord) => boolean;
  },
): Resolution => {
  const errors: ErrorCause[] = [];
  const awaited: RecordKey[] = [];
  const references: RecordReference[] = [];
  const keys = new Map<string, JsonValue>();
  let held: ReadonlySet<string> | undefined;
  const isHeld = (uuid: string): boolean => before !== null && (held ??= storedTargets(model, before)).has(uuid);

  const resolve = ({ reference, pointer, value }: HeldReference): JsonValue => {
    const version = catalog.version(reference.domain, reference.version);
    const target = version === undefined ? undefined : readReference(version.model, value);
    if (version !== undefined && target !== undefined) {
      const found = isOwn(own, version.uuid, target) ? own : targets.findTarget(version.uuid, target);
      if (found !== undefined && (found === own || isSeen(found) || isHeld(found.uuid))) {
        references.push({ pointer, targetUuid: found.uuid });
        keys.set(pointer, toKeyValue(found.drKey));
        return toStoredReference(found.uuid);
      }
      if (target.kind === 'UUID' && found === undefined && isHeld(target.uuid)) return value;
      if (target.kind !== 'UUID' && found === undefined) {
        awaited.push({ domainVersionUuid: version.uuid, keyDigest: target.keyDigest });
      }
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
