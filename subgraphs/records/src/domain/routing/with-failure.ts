import type { ContentHashes } from './content-hashes.js';
import { awaitsDeletion, unknownFormer, type KnownContent } from './known-content.js';
import type { SentNote } from './sent-note.js';
import { withNotes } from './sent-notes.js';

/** A message that an adaptor could not apply. */
export interface FailedContent {
  /** Its number in the outbox. */
  readonly sequence: number;
  /** Hashes of the values that it would have changed. */
  readonly content: ContentHashes;
}

type Extent = 'WHOLE' | 'PART';

/**
 * The value that the adaptor had before the message. A message that was applied in part has made a row, and its value of the property is known
 * only from a report.
 */
const heldBefore = (note: SentNote | undefined, property: string, extent: Extent): string => {
  const held = note?.before[property] ?? '';
  return note === undefined || (held === '' && extent === 'PART') ? unknownFormer : held;
};

/**
 * The known content after an adaptor could not apply a message, or these properties of it: it has none of the new values. A value that a later message
 * replaces is still on its way; the others count as failed. Values that the adaptor has reported since are its own.
 *
 * @param extent WHOLE: the message failed, and its values are to be sent again. PART: the adaptor applied the rest
 */
export const withFailure = (
  known: KnownContent,
  { sequence, content }: FailedContent,
  extent: Extent = 'WHOLE',
): KnownContent => {
  const isDeletedSince = known.sent.some((note) => note.kind === 'DELETION' && note.sequence >= sequence);
  if (awaitsDeletion(known) || isDeletedSince) return known;
  const sent = [...known.sent];
  const note = sent.find((each) => each.sequence === sequence);
  const former: Record<string, string> = { ...(extent === 'WHOLE' ? known.failed : known.skipped) };
  for (const [property, hash] of Object.entries(content)) {
    const held = heldBefore(note, property, extent);
    const at = sent.findIndex((each) => each.sequence > sequence && each.before[property] === hash);
    const later = sent[at];
    if (later !== undefined)
      sent[at] = { ...later, before: { ...later.before, [property]: note?.before[property] ?? '' } };
    else if (known.hashes[property] === hash && held !== hash) former[property] = held;
  }
  return { ...withNotes(known, sent), ...(extent === 'WHOLE' ? { failed: former } : { skipped: former }) };
};
