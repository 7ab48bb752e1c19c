import type { KnownContent } from './known-content.js';
import type { Seen } from './seen.js';
import { parseNote, writeNote, type SentNote } from './sent-note.js';
import { shortenNotes } from './shorten-notes.js';
import { waitingPositions } from './waiting-positions.js';

const member = '_fdsSent';

/** The recent messages to the adaptor about the record, oldest first. */
export const sentNotes = (known: KnownContent | undefined): readonly SentNote[] => {
  const text = known?.[member];
  return text === undefined ? [] : text.split('|').map(parseNote);
};

/** The messages that it had not applied for certain. */
export const unseenNotes = (known: KnownContent | undefined, { applied }: Seen): readonly SentNote[] =>
  known?.[member] === undefined ? [] : sentNotes(known).filter(({ sequence }) => sequence > applied);

/** The content with these notes instead of those that it has. */
export const withNotes = (content: KnownContent, notes: readonly SentNote[]): KnownContent => {
  const noted: Record<string, string> = { ...content };
  if (notes.length === 0) delete noted[member];
  else noted[member] = notes.map(writeNote).join('|');
  return noted;
};

/**
 * The content with one more note than it has.
 *
 * @param acked the adaptor acknowledged everything up to here
 */
export const noteSent = (content: KnownContent, note: SentNote, acked: number): KnownContent => {
  if (content[member] !== undefined) {
    const notes = [...sentNotes(content), note];
    return withNotes(content, shortenNotes(notes, { acked, waiting: waitingPositions(content) }));
  }
  const noted: Record<string, string> = { ...content };
  noted[member] = writeNote(note);
  return noted;
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
export const hashesBefore = (content: KnownContent, known: KnownContent): Record<string, string> => {
  const before: Record<string, string> = {};
  for (const property of Object.keys(content)) {
    if (content[property] !== known[property]) before[property] = known[property] ?? '';
  }
  return before;
};

/** The known hashes of all properties. */
export const hashesOf = (known: KnownContent): Record<string, string> =>
  Object.fromEntries(Object.entries(known).filter(([name]) => !name.startsWith('_fds')));
