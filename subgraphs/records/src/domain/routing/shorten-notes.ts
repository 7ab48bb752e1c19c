import type { Seen } from './seen.js';
import type { SentNote } from './sent-note.js';

const keptAfterAck = 8;
const maxNotes = 32;
const maxUnreported = 4;

/** The positions for which notes are needed. */
export interface NotesNeed {
  /** The adaptor acknowledged the messages up to here. Its next event was made after that, or a little earlier. */
  readonly acked: number;
  /** The positions of its events that wait. */
  readonly waiting: readonly Seen[];
}

/** Does the merged note mean the same as the two notes for every event that waits? */
const isExact = (first: SentNote, second: SentNote, waiting: readonly Seen[]): boolean =>
  waiting.every(({ applied, begun }) => second.sequence <= applied || (first.mergedFrom ?? first.sequence) > begun);

/** One note for two successive messages, with the hashes from before both. */
const merge = (first: SentNote, second: SentNote): SentNote => ({
  ...second,
  // the adaptor changed these values itself, so it does not hold those from before
  before: first.from === undefined ? { ...second.before, ...first.before } : second.before,
  mergedFrom: first.mergedFrom ?? first.sequence,
});

/** The index of the first of two notes to merge: an exact merge if there is one, otherwise the second note. */
const placeOfMerge = (notes: readonly SentNote[], { acked, waiting }: NotesNeed): number => {
  if (waiting.length === 0) return 1;
  const exact = notes.findIndex((first, index) => {
    const second = notes[index + 1];
    return second !== undefined && second.sequence <= acked && isExact(first, second, waiting);
  });
  return exact < 0 ? 1 : exact;
};

/**
 * Drops the notes that are not needed. An event that the adaptor made before its latest acknowledgements can still arrive, so
 * the last few acknowledged notes stay. The notes after the oldest event that waits stay too. A DELETION stays until the
 * adaptor reports that it removed its link: the report must not remove a link that is newer than the deletion. When there are
 * too many notes, some are merged.
 */
export const shortenNotes = (notes: readonly SentNote[], need: NotesNeed): readonly SentNote[] => {
  const needed = Math.min(need.acked, ...need.waiting.map(({ applied }) => applied));
  const open = notes.findIndex(({ sequence }) => sequence > needed);
  const from = Math.max(0, open - keptAfterAck);
  const unreported = notes.slice(0, from).filter(({ kind }) => kind === 'DELETION');
  const kept = [...unreported.slice(-maxUnreported), ...notes.slice(from)];
  while (kept.length > maxNotes) {
    const place = placeOfMerge(kept, need);
    const [first, second] = kept.slice(place, place + 2);
    if (first === undefined || second === undefined) break;
    kept.splice(place, 2, merge(first, second));
  }
  return kept;
};
