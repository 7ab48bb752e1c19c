import type { Queryable } from '@fds/database';
import type { SortTerm } from '@fds/search';
import { LRUCache } from 'lru-cache';
import {
  addAnchors,
  bytesOf,
  emptyAnchors,
  moveAnchors,
  type Anchor,
  type AnchorSet,
  type VersionState,
} from './anchors.js';
import { createSettledPosition } from './settled-position.js';

/** The records of a version in an order; without terms by uuid. */
export interface OrderedVersion {
  readonly domainVersionUuid: string;
  readonly order: readonly SortTerm[];
}

/** Anchors of a version in an order, as the last statement saw it. */
export interface RememberedAnchors {
  readonly anchors: AnchorSet;
  /** Entries of the change log that the last statement has read. */
  readonly scanned: number;
  /**
   * Takes the state of a statement that began after the recall. It is not remembered when another statement was taken in the meantime.
   *
   * @param read gives the anchors that the statement has read, for the anchors as the statement saw the version
   * @returns the anchors as the statement saw the version; undefined where it saw too many changes
   */
  take(state: VersionState, read: (moved: AnchorSet) => readonly Anchor[]): AnchorSet | undefined;
}

/**
 * Remembers which places of an order have how many records before them, so that a page does not have to skip all rows before it. Every
 * record that comes or goes is in the change log by the same transaction: each statement that reads a page also reads the changes
 * since the anchors were last moved, and moves them.
 */
export interface ListingMemory {
  /** Undefined while it is not known from where on the change log is to be read. */
  recall(client: Queryable, version: OrderedVersion): Promise<RememberedAnchors | undefined>;
}

export interface ListingMemoryOptions {
  /** How long unused anchors are remembered, in milliseconds; shorter than the change log keeps changes. Default 60 000. */
  readonly forgetMs?: number;
  /** Memory of all anchors. Default 16 MiB. */
  readonly maxBytes?: number;
  /** Anchors of one version in one order. Default 1000. */
  readonly maxAnchors?: number;
}

/** Entries of the change log that one statement reads at most; where there are more, the anchors of the order are forgotten. */
export const maxScanned = 1_000;
const keyOf = ({ domainVersionUuid, order }: OrderedVersion): string =>
  JSON.stringify([
    domainVersionUuid,
    order.map(({ property: { name, type, format, dataPath }, descending }) => [
      name,
      type,
      format,
      dataPath,
      descending,
    ]),
  ]);

/** Anchors with the number of entries that the last statement has read. */
interface Entry {
  readonly set: AnchorSet;
  readonly scanned: number;
}

export const createListingMemory = ({
  forgetMs = 60_000,
  maxBytes = 2 ** 24,
  maxAnchors = 1_000,
}: ListingMemoryOptions = {}): ListingMemory => {
  const entries = new LRUCache<string, Entry>({
    max: 1_000,
    maxSize: maxBytes,
    sizeCalculation: ({ set }, key) => bytesOf(set) + 2 * key.length,
    ttl: forgetMs,
    updateAgeOnGet: false,
  });
  const bounds = { maxAnchors, maxBytes: maxBytes / 8 };
  const settled = createSettledPosition();

  return {
    recall: async (client, version) => {
      const key = keyOf(version);
      // entries above the floor are read again by each statement
      if (entries.get(key)?.scanned !== 0) await settled.advance(client);
      const entry = entries.get(key);
      const floor = settled.value;
      if (floor === undefined) return undefined;
      const anchors = entry === undefined || entry.scanned > maxScanned ? emptyAnchors(floor) : entry.set;
      const { order } = version;
      return {
        anchors,
        scanned: entry?.scanned ?? 0,
        take: (state, read) => {
          const isLatest = entries.peek(key) === entry;
          if (state.scanned > maxScanned) {
            if (isLatest) entries.set(key, { set: emptyAnchors(floor), scanned: state.scanned });
            return undefined;
          }
          const moved = moveAnchors(anchors, state, { order, settled: floor });
          const set = addAnchors(moved, read(moved), { order, bounds });
          if (isLatest) entries.set(key, { set, scanned: state.scanned });
          return moved;
        },
      };
    },
  };
};
