import type { KnownContent } from './known-content.js';

/**
 * How far an adaptor had applied what it was sent when it made an event. Numbers of the outbox: what is up to `applied` it
 * had applied for certain, what is beyond `begun` it had not begun.
 */
export interface Seen {
  readonly applied: number;
  readonly begun: number;
}

/** The event was made after everything was applied. */
export const everythingSeen: Seen = { applied: Number.POSITIVE_INFINITY, begun: Number.POSITIVE_INFINITY };

/** Nothing is known of when the event was made. */
export const nothingSeen: Seen = { applied: 0, begun: Number.POSITIVE_INFINITY };

/** A message of a record that went to an adaptor, kept with what the adaptor is known to hold. */
export interface SentNote {
  /** Number of the message in the outbox. */
  readonly sequence: number;
  /** CONFIRMATION: the adaptor's own content, sent back because messages that it had not seen might overwrite it. */
  readonly kind: 'CHANGE' | 'CONFIRMATION' | 'DELETION';
  /** Of the properties that it changes: the hash that was known before; empty where the adaptor held none. */
  readonly before: Readonly<Record<string, string>>;
  /** Of a CONFIRMATION: only from this message on the adaptor can come to hold `before` again. */
  readonly from?: number;
  /** Notes between the one before and this were dropped. */
  readonly followsGap: boolean;
}

const member = '_fdsSent';
const keptAfterAck = 4;
const maxNotes = 32;

const headPattern = /^(\d+)(!?)(~?)(?:@(\d+))?$/u;

const parseNote = (text: string): SentNote => {
  const [head = '', ...members] = text.split(',');
  const [, sequence, deletion, gap, from] = headPattern.exec(head) ?? [];
  const before = Object.fromEntries(
    members.map((each) => {
      const [name = '', hash = ''] = each.split('=');
      return [decodeURIComponent(name), hash];
    }),
  );
  return {
    sequence: Number(sequence),
    kind: deletion === '!' ? 'DELETION' : from === undefined ? 'CHANGE' : 'CONFIRMATION',
    before,
    followsGap: gap === '~',
    ...(from === undefined ? {} : { from: Number(from) }),
  };
};

const writeNote = ({ sequence, kind, before, from, followsGap }: SentNote): string => {
  const head = `${sequence}${kind === 'DELETION' ? '!' : ''}${followsGap ? '~' : ''}${from === undefined ? '' : `@${from}`}`;
  return [head, ...Object.entries(before).map(([name, hash]) => `${encodeURIComponent(name)}=${hash}`)].join();
};

/** What the adaptor was sent of the record lately, oldest first. */
export const sentNotes = (known: KnownContent | undefined): readonly SentNote[] => {
  const text = known?.[member];
  return text === undefined ? [] : text.split('|').map(parseNote);
};

/** What it was sent and had not applied for certain. */
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
 * Notes of which what is acknowledged is forgotten but for a few: an event that was made before may still be on its way.
 * Of very many the oldest and the latest are kept.
 */
const shortened = (notes: readonly SentNote[], acked: number): readonly SentNote[] => {
  const open = notes.findIndex(({ sequence }) => sequence > acked);
  const kept = notes.slice(Math.max(0, open - keptAfterAck));
  while (kept.length > maxNotes) {
    const [, , third] = kept;
    if (third !== undefined) kept.splice(1, 2, { ...third, followsGap: true });
  }
  return kept;
};

/**
 * The content with one more note than it has.
 *
 * @param acked the adaptor acknowledged everything up to here
 */
export const noteSent = (content: KnownContent, note: SentNote, acked: number): KnownContent => {
  if (content[member] !== undefined) return withNotes(content, shortened([...sentNotes(content), note], acked));
  const noted: Record<string, string> = { ...content };
  noted[member] = writeNote(note);
  return noted;
};

/**
 * The notes of an adaptor that tells of a deletion of its own: it holds nothing of what it held, but what messages bring that
 * it had not seen.
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

/** The known hashes of what a message changes. */
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
