import type { ContentHashes } from './content-hashes.js';
import { awaitsDeletion, type KnownContent } from './known-content.js';
import type { SentNote } from './sent-note.js';
import { withNotes } from './sent-notes.js';

/** A message that an adaptor could not apply. */
export interface FailedContent {
  /** Its number in the outbox. */
  readonly sequence: number;
  /** Hashes of the values that it would have changed. */
  readonly content: ContentHashes;
}

/** The value that the adaptor had before the message; an empty hash: none, or it is not known. */
const heldBefore = (note: SentNote | undefined, property: string): string => note?.before[property] ?? '';

/**
 * The known content after an adaptor could not apply a message, or these properties of it: it has none of the new values. A value that a later message
 * replaces is still on its way; the others count as failed. Values that the adaptor has reported since are its own.
 *
 * @param extent WHOLE: the message failed, and its values are to be sent again. PART: the adaptor applied the rest; a former value
 *   that is not known is not noted then
 */
export const withFailure = (
  known: KnownContent,
  { sequence, content }: FailedContent,
  extent: 'WHOLE' | 'PART' = 'WHOLE',
): KnownContent => {
  const isDeletedSince = known.sent.some((note) => note.kind === 'DELETION' && note.sequence >= sequence);
  if (awaitsDeletion(known) || isDeletedSince) return known;
  const sent = [...known.sent];
  const note = sent.find((each) => each.sequence === sequence);
  const former: Record<string, string> = { ...(extent === 'WHOLE' ? known.failed : known.skipped) };
  for (const [property, hash] of Object.entries(content)) {
    const held = heldBefore(note, property);
    const at = sent.findIndex((each) => each.sequence > sequence && each.before[property] === hash);
    const later = sent[at];
    if (later !== undefined) sent[at] = { ...later, before: { ...later.before, [property]: held } };
    else if (known.hashes[property] === hash && held !== hash && (held !== '' || extent === 'WHOLE')) {
      former[property] = held;
    }
  }
  return { ...withNotes(known, sent), ...(extent === 'WHOLE' ? { failed: former } : { skipped: former }) };
};
