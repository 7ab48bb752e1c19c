import type { SettledMatch } from '../issues/settled-match.js';
import type { RecordBook, RecordState } from './record-book.js';

/** What an event says of the record it is about. */
export interface RecordReference {
  readonly domainVersionUuid: string;
  readonly sourceAdaptorUuid: string;
  readonly drUuid: string | undefined;
  /** Hexadecimal digest of the DR Key; undefined when only the uuid is known. */
  readonly keyDigest: string | undefined;
  /** What a steward decided; undefined: nobody has. */
  readonly settled?: SettledMatch | undefined;
}

export type Match =
  | { readonly status: 'RESOLVED'; readonly record: RecordState }
  | { readonly status: 'NEW' }
  | { readonly status: 'AMBIGUOUS'; readonly candidates: readonly RecordState[] };

/**
 * Finds the record of an event: the one that a steward decided on, else by the uuid that the adaptor names, else by the key of the adaptor's own link, else by
 * the exact key among records and links of the version.
 */
export const matchRecord = (book: RecordBook, reference: RecordReference): Match => {
  const { settled } = reference;
  if (settled?.drUuid === null) return { status: 'NEW' };
  const drUuid = settled?.drUuid ?? reference.drUuid;
  const named = drUuid === undefined ? undefined : book.byUuid(drUuid);
  if (named?.domainVersionUuid === reference.domainVersionUuid) return { status: 'RESOLVED', record: named };
  if (reference.keyDigest === undefined) return { status: 'NEW' };

  const candidates = book.byKey(reference.domainVersionUuid, reference.keyDigest);
  const own = candidates.find(
    (record) => record.links.get(reference.sourceAdaptorUuid)?.keyDigest === reference.keyDigest,
  );
  if (own !== undefined) return { status: 'RESOLVED', record: own };
  const [first, ...others] = candidates;
  if (first === undefined) return { status: 'NEW' };
  return others.length === 0 ? { status: 'RESOLVED', record: first } : { status: 'AMBIGUOUS', candidates };
};
