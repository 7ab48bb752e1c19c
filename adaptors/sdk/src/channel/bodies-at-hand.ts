import type { Journal } from '../journal/open-journal.js';

/** A message of the journal. */
export interface Entry {
  readonly sequence: number;
  readonly body: string;
}

/**
 * The messages that are sent next. They are in memory if they were just written; otherwise they are read from the
 * journal.
 */
export interface BodiesAtHand {
  /**
   * Notes messages that were written to the journal. Keeps them in memory, as far as there is room, if they follow the
   * messages in memory or are the next ones to be sent.
   */
  wrote(bodies: readonly string[], place: { readonly last: number; readonly next: number }): void;
  /** Messages of a range, in order. Returns at least the first one; it may end before the end of the range. */
  read(from: number, to: number): readonly Entry[];
  /** Drops all messages, because their numbers have changed. */
  clear(): void;
}

/** Limit of the messages in memory. A larger message is read on its own. */
const maxCharacters = 4 * 2 ** 20;

export const createBodiesAtHand = (journal: Pick<Journal, 'read'>): BodiesAtHand => {
  let entries: Entry[] = [];
  let characters = 0;

  const clear = (): void => {
    entries = [];
    characters = 0;
  };
  const dropBefore = (sequence: number): void => {
    const kept = entries.findIndex((entry) => entry.sequence >= sequence);
    const dropped = entries.splice(0, kept === -1 ? entries.length : kept);
    for (const { body } of dropped) characters -= body.length;
  };

  return {
    wrote: (bodies, { last, next }) => {
      dropBefore(next);
      const first = last - bodies.length + 1;
      const wanted = (entries.at(-1)?.sequence ?? next - 1) + 1;
      if (first !== wanted) return;
      for (const [index, body] of bodies.entries()) {
        if (characters + body.length > maxCharacters) return;
        entries.push({ sequence: first + index, body });
        characters += body.length;
      }
    },
    read: (from, to) => {
      if (entries[0] !== undefined && entries[0].sequence > from) clear();
      dropBefore(from);
      if (entries.length === 0) {
        entries = [...journal.read(from, to, maxCharacters)];
        characters = entries.reduce((sum, { body }) => sum + body.length, 0);
      }
      return entries.slice(0, to - from + 1);
    },
    clear,
  };
};
