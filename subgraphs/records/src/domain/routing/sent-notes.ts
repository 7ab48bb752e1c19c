import type { ContentHashes } from './content-hashes.js';
import type { KnownContent } from './known-content.js';
import type { Seen } from './seen.js';
import type { SentNote } from './sent-note.js';
import { shortenNotes } from './shorten-notes.js';

/** The messages that it had not applied for certain. */
export const unseenNotes = (known: KnownContent | undefined, { applied }: Seen): readonly SentNote[] =>
  known === undefined || known.sent.length === 0 ? [] : known.sent.filter(({ sequence }) => sequence > applied);

/** The content with these notes instead of those that it has. */
export const withNotes = (known: KnownContent, sent: readonly SentNote[]): KnownContent => {
  const { hashes, failed, skipped, withheld, waiting, deletionSent } = known;
  return { hashes, failed, skipped, sent, withheld, waiting, deletionSent };
};

/**
 * The content with one more note than it has.
 *
 * @param acked the adaptor acknowledged everything up to here
 */
export const noteSent = (known: KnownContent, note: SentNote, acked: number): KnownContent => {
  const { sent, waiting } = known;
  return withNotes(known, sent.length === 0 ? [note] : shortenNotes([...sent, note], { acked, waiting }));
};

/**
 * The notes of an adaptor that reports its own deletion: it has only the content of messages that it had not seen.
 */
export const notesAfterDeletion = (notes: readonly SentNote[], { applied }: Seen): readonly SentNote[] => {
  const brought = new Set<string>();
  let bringsAll = false;
  return notes.map((note) => {
    const names = Object.keys(note.before);
    const before = Object.fromEntries(Object.entries(note.before).filter(([name]) => bringsAll || brought.has(name)));
    if (note.sequence > applied && note.kind !== 'DELETION') {
      // a first message brings all that it has
      if (names.length === 0) bringsAll = true;
      for (const name of names) brought.add(name);
    }
    return { ...note, before };
  });
};

/** The known hashes of the properties that a message changes. */
export const hashesBefore = (content: ContentHashes, { hashes, failed, skipped }: KnownContent): ContentHashes => {
  const before: Record<string, string> = {};
  for (const property of Object.keys(content)) {
    const held = failed[property] ?? skipped[property] ?? hashes[property];
    if (content[property] !== held) before[property] = held ?? '';
  }
  return before;
};
