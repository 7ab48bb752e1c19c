import { LRUCache } from 'lru-cache';
import type { Queryable } from '../channels/channel.js';

/** A row of a version's records in order of uuid: so many come before it. */
export interface Anchor {
  readonly offset: number;
  readonly uuid: string;
}

/** What is remembered of the records of one version, in order of uuid. */
interface KnownRecords {
  /** How many there are. */
  readonly total: number | undefined;
  setTotal(total: number): void;
  /** The nearest row at or before the offset. */
  anchorFor(offset: number): Anchor | undefined;
  addAnchor(anchor: Anchor): void;
}

/**
 * Remembers how many records versions have and what stands at some offsets, so that neither is counted anew for every
 * page. What it tells was right a moment ago, as a count would be: every record that comes or goes is in the change log by
 * the same transaction, and before each use what was logged since is looked at.
 */
export interface ListingMemory {
  /** Did the version have so many records when they were last counted that remembering is cheaper than counting? */
  isLarge(domainVersionUuid: string): boolean;
  noteSize(domainVersionUuid: string, total: number): void;
  /** What is known to hold now; undefined while writers are at work and nothing can be remembered. */
  recall(client: Queryable, domainVersionUuid: string): Promise<KnownRecords | undefined>;
}

interface Entry {
  /** All changes up to this position of the change log are in what is remembered. */
  head: bigint;
  total: number | undefined;
  /** By offset. */
  anchors: Anchor[];
  /** Rises when a record came or went: what was read before is then not remembered any more. */
  revision: number;
}

interface Look {
  readonly head: bigint;
  /** No transaction that writes is open: whoever begins later takes positions above `head`. */
  readonly quiet: boolean;
  /** Least uuid among records of the version that came or went since; null when none did. */
  readonly least_changed: string | null;
}

const largeVersion = 10_000;
const maxAnchors = 1_000;
/** Changes that are looked through at most before everything is forgotten. */
const maxChanges = 1_000n;

const look = async (client: Queryable, domainVersionUuid: string, since: bigint): Promise<Look> => {
  const { rows } = await client.query<Look>({
    name: 'records-listing-changes',
    text: `SELECT coalesce((SELECT max(position) FROM change_log), 0) AS head,
                  pg_snapshot_xmin(seen) = pg_snapshot_xmax(seen) AS quiet,
                  (SELECT resource_uuid FROM change_log
                   WHERE position > $2 AND resource_type = 'Dr' AND action IN ('POST', 'DELETE')
                     AND data::jsonb ->> 'domainVersionUuid' = $1::text
                   ORDER BY resource_uuid LIMIT 1) AS least_changed
           FROM pg_current_snapshot() AS seen`,
    values: [domainVersionUuid, since],
  });
  const [seen] = rows;
  if (seen === undefined) throw new TypeError('a statement without FROM a table answers one row');
  return seen;
};

const remembering = (entry: Entry): KnownRecords => {
  const { revision } = entry;
  const isCurrent = (): boolean => entry.revision === revision;
  return {
    total: entry.total,
    setTotal: (total) => {
      if (isCurrent()) entry.total = total;
    },
    anchorFor: (offset) => entry.anchors.findLast((anchor) => anchor.offset <= offset),
    addAnchor: (anchor) => {
      if (!isCurrent() || entry.anchors.some(({ offset }) => offset === anchor.offset)) return;
      if (entry.anchors.length >= maxAnchors) entry.anchors.shift();
      const after = entry.anchors.findIndex(({ offset }) => offset > anchor.offset);
      entry.anchors.splice(after === -1 ? entry.anchors.length : after, 0, anchor);
    },
  };
};

/** @param forgetMs how long what nobody asks for is remembered; shorter than the change log keeps changes. Default 60 000 */
export const createListingMemory = (forgetMs = 60_000): ListingMemory => {
  const entries = new LRUCache<string, Entry>({ max: 1_000, ttl: forgetMs, updateAgeOnGet: false });
  const large = new LRUCache<string, true>({ max: 10_000 });

  return {
    isLarge: (domainVersionUuid) => large.has(domainVersionUuid),
    noteSize: (domainVersionUuid, total) => {
      if (total >= largeVersion) large.set(domainVersionUuid, true);
      else large.delete(domainVersionUuid);
    },
    recall: async (client, domainVersionUuid) => {
      const known = entries.get(domainVersionUuid);
      const seen = await look(client, domainVersionUuid, known?.head ?? 2n ** 62n);
      if (known !== undefined && seen.head - known.head <= maxChanges) {
        const { least_changed: leastChanged } = seen;
        if (leastChanged !== null) {
          known.total = undefined;
          known.revision += 1;
          known.anchors = known.anchors.filter(({ uuid }) => uuid < leastChanged);
        }
        // while someone writes, a change below the head may still appear
        if (seen.quiet) {
          known.head = seen.head;
          entries.set(domainVersionUuid, known);
        }
        return remembering(known);
      }
      entries.delete(domainVersionUuid);
      if (!seen.quiet) return undefined;
      const fresh: Entry = { head: seen.head, total: undefined, anchors: [], revision: 0 };
      entries.set(domainVersionUuid, fresh);
      return remembering(fresh);
    },
  };
};
