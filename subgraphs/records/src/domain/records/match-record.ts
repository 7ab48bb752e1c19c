import type { JsonObject } from '@fds/json';
import type { Candidate, ScoredCandidate } from '@fds/matching';
import type { DomainVersionView } from '../catalog.js';
import type { EventKey } from '../events/incoming-event.js';
import type { SettledMatch } from '../issues/settled-match.js';
import type { RecordBook, RecordState } from './record-book.js';

/** The data of an event that identify its record. */
export interface RecordReference {
  readonly version: Pick<DomainVersionView, 'uuid' | 'matching'>;
  readonly sourceAdaptorUuid: string;
  readonly drUuid: string | undefined;
  /** Undefined when only the uuid is known. */
  readonly key: EventKey | undefined;
  /** The decision of a steward; undefined: none. */
  readonly settled?: SettledMatch | undefined;
}

export type Match =
  | {
      readonly status: 'RESOLVED';
      readonly record: RecordState;
      /** The candidates of the algorithm. Default: it was not asked. */
      readonly candidates?: readonly ScoredCandidate[];
    }
  | { readonly status: 'NEW' }
  | { readonly status: 'AMBIGUOUS'; readonly candidates: readonly ScoredCandidate[] }
  | { readonly status: 'PRESUMED_NEW'; readonly candidates: readonly ScoredCandidate[] }
  | {
      readonly status: 'PRESUMED_MATCH';
      readonly record: RecordState;
      readonly candidates: readonly ScoredCandidate[];
    };

/** A record with all keys that it is known by. */
const toCandidate = ({ uuid, drKey, links }: RecordState): Candidate => ({
  uuid,
  keys: [
    { adaptorUuid: null, drKey },
    ...[...links.values()].map((link) => ({ adaptorUuid: link.adaptorUuid, drKey: link.drKey })),
  ],
});

/** The record by the key that is equal. */
const toEqual = ({ uuid, keyDigest, links }: RecordState, { drKey, digest }: EventKey): ScoredCandidate => {
  const linked = [...links.values()].find((link) => link.keyDigest === digest);
  const adaptorUuid = keyDigest === digest ? null : (linked?.adaptorUuid ?? null);
  const comparisons = Object.entries(drKey).map(([property, value = null]) => ({
    property,
    comparator: 'EXACT' as const,
    source: value,
    destination: value,
    holds: true,
  }));
  return { uuid, adaptorUuid, drKey, score: null, comparisons };
};

/** By the algorithm of the version, where it has another one than EXACT. */
const matchNear = (book: RecordBook, { uuid, matching }: RecordReference['version'], drKey: JsonObject): Match => {
  if (matching === undefined) return { status: 'NEW' };
  const result = matching.match(drKey, book.near(uuid, matching.tokens.asked(drKey)).map(toCandidate));
  if (result.status !== 'RESOLVED' && result.status !== 'PRESUMED_MATCH') return result;
  const record = book.byUuid(result.match.uuid);
  if (record === undefined) throw new TypeError('a candidate is not among the loaded records');
  return result.status === 'RESOLVED'
    ? { status: 'RESOLVED', record, candidates: [result.match] }
    : { status: 'PRESUMED_MATCH', record, candidates: result.candidates };
};

/**
 * Finds the record of an event: the one that a steward chose, otherwise by the uuid that the adaptor names, otherwise by the
 * key of the adaptor's own link, otherwise by the equal key among records and links of the version.
 */
export const findRecord = (book: RecordBook, reference: RecordReference): Match => {
  const { settled, key, version } = reference;
  if (settled?.drUuid === null) return { status: 'NEW' };
  const drUuid = settled?.drUuid ?? reference.drUuid;
  const named = drUuid === undefined ? undefined : book.byUuid(drUuid);
  if (named?.domainVersionUuid === version.uuid) return { status: 'RESOLVED', record: named };
  if (key === undefined) return { status: 'NEW' };

  const candidates = book.byKey(version.uuid, key.digest);
  const own = candidates.find((record) => record.links.get(reference.sourceAdaptorUuid)?.keyDigest === key.digest);
  if (own !== undefined) return { status: 'RESOLVED', record: own };
  const [first, ...others] = candidates;
  if (first === undefined) return { status: 'NEW' };
  if (others.length === 0) return { status: 'RESOLVED', record: first };
  return { status: 'AMBIGUOUS', candidates: candidates.map((record) => toEqual(record, key)) };
};

/** Finds the record of a change: like `findRecord`, and when no record has the key, by the algorithm of the version. */
export const matchRecord = (book: RecordBook, reference: RecordReference): Match => {
  const found = findRecord(book, reference);
  const { settled, key, version } = reference;
  if (found.status !== 'NEW' || settled?.drUuid === null || key === undefined) return found;
  return matchNear(book, version, key.drKey);
};
