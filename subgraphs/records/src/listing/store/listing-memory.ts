import type { Queryable } from '@fds/database';
import type { SortedPlace, SortTerm } from '@fds/search-sql';
import { LRUCache } from 'lru-cache';

/** A row of a version's records in an order: so many come before it. Without a sort it has no values. */
export interface Anchor extends SortedPlace {
  readonly offset: number;
}

/** The records of a version in an order; without terms by uuid. */
interface OrderedVersion {
  readonly domainVersionUuid: string;
  readonly order: readonly SortTerm[];
}

/** Remembered rows of one version in one order. */
export interface KnownRecords {
  /** The nearest row at or before the offset. */
  anchorFor(offset: number): Anchor | undefined;
  addAnchors(anchors: readonly Anchor[]): void;
}

/**
 * Remembers the rows at some offsets, so that a page does not have to skip all rows before it. An anchor was correct a
 * moment ago: every record that comes, goes or moves is in the change log by the same transaction, and before each use
 * the changes since then are read.
 */
export interface ListingMemory {
  /**
   * An anchor that was valid when the version was last recalled. A page that is read from it is valid if `recall` gives
   * the same anchor.
   */
  guess(version: OrderedVersion, offset: number): Anchor | undefined;
  /** The anchors that are valid now; undefined while writers are at work and nothing can be remembered. */
  recall(client: Queryable, version: OrderedVersion): Promise<KnownRecords | undefined>;
}

interface Entry {
  /** The anchors include all changes up to this position of the change log. */
  head: bigint;
  /** By offset. */
  anchors: readonly Anchor[];
  /** Rises when a record came or went: rows that were read before are then not remembered. */
  revision: number;
}

interface Look {
  readonly head: bigint;
  /** No transaction that writes is open: a transaction that begins later takes positions above `head`. */
  readonly quiet: boolean;
  /** Least uuid among records of the version that changed their place since; null when none did. */
  readonly least_changed: string | null;
}

const maxAnchors = 1_000;
const maxAnchorsOfAll = 100_000;
/** Changes that are looked through at most before everything is forgotten. */
const maxChanges = 1_000n;

/** A record keeps its uuid, and may change its key. */
const movesOf = ({ order }: OrderedVersion): readonly string[] =>
  order.length === 0 ? ['POST', 'DELETE'] : ['POST', 'PUT', 'PATCH', 'DELETE'];

const look = async (client: Queryable, version: OrderedVersion, since: bigint): Promise<Look> => {
  const { rows } = await client.query<Look>({
    name: 'records-listing-changes',
    text: `SELECT coalesce((SELECT max(position) FROM change_log), 0) AS head,
                  pg_snapshot_xmin(seen) = pg_snapshot_xmax(seen) AS quiet,
                  (SELECT resource_uuid FROM change_log
                   WHERE position > $2 AND resource_type = 'Dr' AND action = ANY ($3::text[])
                     AND data::jsonb ->> 'domainVersionUuid' = $1::text
                   ORDER BY resource_uuid LIMIT 1) AS least_changed
           FROM pg_current_snapshot() AS seen`,
    values: [version.domainVersionUuid, since, movesOf(version)],
  });
  const [seen] = rows;
  if (seen === undefined) throw new TypeError('a statement without FROM a table answers one row');
  return seen;
};

const findAnchor = ({ anchors }: Entry, offset: number): Anchor | undefined =>
  anchors.findLast((anchor) => anchor.offset <= offset);

/** In order of offset; where there are too many, those that are not new and nearest to the beginning go. */
const merge = (before: readonly Anchor[], added: readonly Anchor[]): Anchor[] => {
  const offsets = new Set(added.map(({ offset }) => offset));
  const kept = before.filter(({ offset }) => !offsets.has(offset));
  const all = [...kept.slice(Math.max(0, kept.length + added.length - maxAnchors)), ...added.slice(-maxAnchors)];
  return all.sort((one, other) => one.offset - other.offset);
};

const keyOf = ({ domainVersionUuid, order }: OrderedVersion): string =>
  JSON.stringify([
    domainVersionUuid,
    order.map(({ property, descending }) => [property.name, property.type, property.format, descending]),
  ]);

/** @param forgetMs how long an unused entry is remembered; shorter than the change log keeps changes. Default 60 000 */
export const createListingMemory = (forgetMs = 60_000): ListingMemory => {
  const entries = new LRUCache<string, Entry>({
    max: 1_000,
    maxSize: maxAnchorsOfAll,
    sizeCalculation: ({ anchors }) => anchors.length + 1,
    ttl: forgetMs,
    updateAgeOnGet: false,
  });

  const remembering = (key: string, entry: Entry): KnownRecords => {
    const { revision } = entry;
    return {
      anchorFor: (offset) => findAnchor(entry, offset),
      addAnchors: (added) => {
        if (entry.revision !== revision || entries.peek(key) !== entry) return;
        entry.anchors = merge(entry.anchors, added);
        // the change log was looked at by `recall`, not now
        entries.set(key, entry, { noUpdateTTL: true });
      },
    };
  };

  return {
    guess: (version, offset) => {
      const entry = entries.peek(keyOf(version));
      return entry && findAnchor(entry, offset);
    },
    recall: async (client, version) => {
      const key = keyOf(version);
      const known = entries.get(key);
      const seen = await look(client, version, known?.head ?? 2n ** 62n);
      if (known !== undefined && seen.head - known.head <= maxChanges) {
        const { least_changed: leastChanged } = seen;
        if (leastChanged !== null) {
          known.revision += 1;
          known.anchors = version.order.length === 0 ? known.anchors.filter(({ uuid }) => uuid < leastChanged) : [];
        }
        // while someone writes, a change below the head may still appear
        if (seen.quiet) {
          known.head = seen.head;
          entries.set(key, known);
        }
        return remembering(key, known);
      }
      entries.delete(key);
      if (!seen.quiet) return undefined;
      const fresh: Entry = { head: seen.head, anchors: [], revision: 0 };
      entries.set(key, fresh);
      return remembering(key, fresh);
    },
  };
};
