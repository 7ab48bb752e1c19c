import type { RecordBook } from '../records/record-book.js';
import type { ReferenceTarget } from '@fds/model-schema';
import type { RecordReference, TargetFinder, TargetRecord } from './resolve-references.js';

/** A record found for a reference, and the key by which it was found. */
export interface LoadedTarget extends TargetRecord {
  /** Hexadecimal; the record's own, or an adaptor's. */
  readonly keyDigest: string;
}

/** What the database has of the references that a batch may touch. */
export interface StoredReferences {
  readonly targets: readonly LoadedTarget[];
  /** Records outside the batch that refer to a record, by the latter; only of records that the batch may delete. */
  readonly outsideReferrers: ReadonlyMap<string, number>;
  /** References among the records of the batch. */
  readonly insideReferences: readonly { readonly recordUuid: string; readonly targetUuid: string }[];
}

/** Of a batch that needs to know of none. */
export const noReferences: StoredReferences = { targets: [], outsideReferrers: new Map(), insideReferences: [] };

/** What a batch did to the references, for the store to write. */
export interface ReferenceChanges {
  /** Records whose references are replaced. */
  readonly recordUuids: readonly string[];
  readonly references: readonly (RecordReference & { readonly recordUuid: string })[];
}

const keyOf = (domainVersionUuid: string, keyDigest: string): string => `${domainVersionUuid}:${keyDigest}`;

/**
 * The references of one batch: finds targets among the records of the batch, then among the stored ones, and tells who
 * refers to a record. Follows the record book, which must be the batch's own.
 */
export class ReferenceBook implements TargetFinder {
  readonly #book: RecordBook;
  readonly #byUuid = new Map<string, LoadedTarget>();
  readonly #byKey = new Map<string, LoadedTarget>();
  readonly #outside: ReadonlyMap<string, number>;
  /** Targets by record, as the batch leaves them. */
  readonly #inside = new Map<string, Set<string>>();
  readonly #changed = new Map<string, readonly RecordReference[]>();

  constructor(book: RecordBook, { targets, outsideReferrers, insideReferences }: StoredReferences) {
    this.#book = book;
    this.#outside = outsideReferrers;
    for (const target of targets) {
      this.#byUuid.set(target.uuid, target);
      this.#byKey.set(keyOf(target.domainVersionUuid, target.keyDigest), target);
    }
    for (const { recordUuid, targetUuid } of insideReferences) {
      this.#inside.set(recordUuid, (this.#inside.get(recordUuid) ?? new Set()).add(targetUuid));
    }
  }

  findTarget(domainVersionUuid: string, target: ReferenceTarget): TargetRecord | undefined {
    const found =
      target.kind === 'UUID'
        ? (this.#book.byUuid(target.uuid) ?? this.#byUuid.get(target.uuid))
        : this.#findByKey(domainVersionUuid, target.keyDigest);
    return found?.domainVersionUuid === domainVersionUuid && !this.#book.isDeleted(found.uuid) ? found : undefined;
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
    // one that the batch holds has another key by now
    return loaded === undefined || this.#book.byUuid(loaded.uuid) !== undefined ? undefined : loaded;
  }
}
