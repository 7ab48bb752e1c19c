import { canonicalJson, type JsonObject } from '@fds/json';
import type { ReferenceTarget } from '@fds/model-schema';
import { hasKeyPart } from '../records/has-key-part.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import type { RecordReference, TargetFinder, TargetRecord } from './resolve-references.js';

/** A record found for a reference, and the key by which it was found. */
export interface LoadedTarget extends TargetRecord {
  /** Hexadecimal; the record's own, or an adaptor's. */
  readonly keyDigest: string;
}

/** Records found for a reference by a part of their DR Key: some of those that have it. */
export interface LoadedPart {
  readonly domainVersionUuid: string;
  readonly part: JsonObject;
  readonly targets: readonly TargetRecord[];
}

/** The database's references that a batch may touch. */
export interface StoredReferences {
  readonly targets: readonly LoadedTarget[];
  readonly parts: readonly LoadedPart[];
  /** Records outside the batch that refer to a record, by the latter; only of records that the batch may delete. */
  readonly outsideReferrers: ReadonlyMap<string, number>;
  /** References among the records of the batch. */
  readonly insideReferences: readonly { readonly recordUuid: string; readonly targetUuid: string }[];
}

/** For a batch that needs none. */
export const noReferences: StoredReferences = {
  targets: [],
  parts: [],
  outsideReferrers: new Map(),
  insideReferences: [],
};

/** A batch's changes to the references, for the store to write. */
export interface ReferenceChanges {
  /** Records whose references are replaced. */
  readonly recordUuids: readonly string[];
  readonly references: readonly (RecordReference & { readonly recordUuid: string })[];
}

/** May a lookup by this target find this record? The record is one of the target's version. */
export type MayFindTarget = (record: TargetRecord, target: ReferenceTarget) => boolean;

const everyTarget: MayFindTarget = () => true;

const keyOf = (domainVersionUuid: string, keyDigest: string): string => `${domainVersionUuid}:${keyDigest}`;

/** Keys by which a part of one may name the record: of a data-store record its own. */
const keysOf = ({ drKey, json, links }: RecordState): readonly JsonObject[] =>
  json === null ? [drKey, ...[...links.values()].map((link) => link.drKey)] : [drKey];

/**
 * The references of one batch: finds targets among the records of the batch, then among the stored ones, and tells who
 * refers to a record. Follows the record book, which must be the batch's own.
 */
export class ReferenceBook implements TargetFinder {
  readonly #book: RecordBook;
  readonly #mayFind: MayFindTarget;
  readonly #byUuid = new Map<string, LoadedTarget>();
  readonly #byKey = new Map<string, LoadedTarget>();
  readonly #byPart = new Map<string, readonly TargetRecord[]>();
  readonly #outside: ReadonlyMap<string, number>;
  /** Targets by record, as the batch leaves them. */
  readonly #inside = new Map<string, Set<string>>();
  readonly #changed = new Map<string, readonly RecordReference[]>();

  /** @param mayFind the records that the caller may find. Default: all */
  constructor(book: RecordBook, stored: StoredReferences, mayFind: MayFindTarget = everyTarget) {
    this.#book = book;
    this.#mayFind = mayFind;
    this.#outside = stored.outsideReferrers;
    for (const target of stored.targets) {
      this.#byUuid.set(target.uuid, target);
      this.#byKey.set(keyOf(target.domainVersionUuid, target.keyDigest), target);
    }
    for (const { domainVersionUuid, part, targets } of stored.parts) {
      this.#byPart.set(keyOf(domainVersionUuid, canonicalJson(part)), targets);
    }
    for (const { recordUuid, targetUuid } of stored.insideReferences) {
      this.#inside.set(recordUuid, (this.#inside.get(recordUuid) ?? new Set()).add(targetUuid));
    }
  }

  findTargets(domainVersionUuid: string, target: ReferenceTarget): readonly TargetRecord[] {
    if (target.kind === 'PART') return this.#findByPart(domainVersionUuid, target.part);
    const found =
      target.kind === 'UUID'
        ? this.findKept(domainVersionUuid, target.uuid)
        : this.#findByKey(domainVersionUuid, target.keyDigest);
    if (found?.domainVersionUuid !== domainVersionUuid || this.#book.isDeleted(found.uuid)) return [];
    return this.#mayFind(found, target) ? [found] : [];
  }

  findKept(domainVersionUuid: string, uuid: string): TargetRecord | undefined {
    const found = this.#book.byUuid(uuid) ?? this.#byUuid.get(uuid);
    return found?.domainVersionUuid === domainVersionUuid && !this.#book.isDeleted(uuid) ? found : undefined;
  }

  /** The record holds these references from now on. */
  keep(recordUuid: string, references: readonly RecordReference[]): void {
    if (references.length === 0 && !this.#inside.has(recordUuid) && !this.#book.isStored(recordUuid)) return;
    this.#changed.set(recordUuid, references);
    this.#inside.set(recordUuid, new Set(references.map(({ targetUuid }) => targetUuid)));
  }

  /** Other records that refer to this one; exact for records that the batch was said to delete. */
  countReferrers(recordUuid: string): number {
    let count = this.#outside.get(recordUuid) ?? 0;
    for (const [holder, targets] of this.#inside) {
      if (holder !== recordUuid && targets.has(recordUuid) && !this.#book.isDeleted(holder)) count += 1;
    }
    return count;
  }

  changes(): ReferenceChanges {
    const kept = [...this.#changed].filter(([recordUuid]) => !this.#book.isDeleted(recordUuid));
    return {
      recordUuids: kept.map(([recordUuid]) => recordUuid),
      references: kept.flatMap(([recordUuid, references]) =>
        references.map((reference) => ({ ...reference, recordUuid })),
      ),
    };
  }

  #findByKey(domainVersionUuid: string, keyDigest: string): TargetRecord | undefined {
    const inBatch = this.#book.byKey(domainVersionUuid, keyDigest);
    const own = inBatch.find((record) => record.keyDigest === keyDigest) ?? inBatch[0];
    if (own !== undefined) return own;
    const loaded = this.#byKey.get(keyOf(domainVersionUuid, keyDigest));
    // a record that the batch contains has another key now
    return loaded === undefined || this.#book.byUuid(loaded.uuid) !== undefined ? undefined : loaded;
  }

  #findByPart(domainVersionUuid: string, part: JsonObject): readonly TargetRecord[] {
    const target = { kind: 'PART', part } as const;
    // the present key counts for a record of the batch
    const stored = (this.#byPart.get(keyOf(domainVersionUuid, canonicalJson(part))) ?? []).filter(
      ({ uuid }) => this.#book.byUuid(uuid) === undefined && !this.#book.isDeleted(uuid),
    );
    const inBatch = this.#book
      .ofVersion(domainVersionUuid)
      .filter((record) => keysOf(record).some((key) => hasKeyPart(key, part)) && this.#mayFind(record, target));
    return [...stored, ...inBatch];
  }
}
