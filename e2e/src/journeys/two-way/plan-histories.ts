import type { Random } from '@fds/testing';
import { contactProperties, type ContactProperty } from './contact-database.js';

/** An edit that a user makes in one database. It is left out where the row does not allow it. */
export interface PlannedEdit {
  readonly atMs: number;
  /** Index of the database. */
  readonly database: number;
  readonly kind: 'UPDATE' | 'INSERT' | 'DELETE';
  readonly properties: readonly ContactProperty[];
}

/** The edits of one record. Histories do not touch each other. */
export interface History {
  readonly id: number;
  /** True: all databases have the row before the edits begin. */
  readonly shared: boolean;
  /** In the order of their times. */
  readonly edits: readonly PlannedEdit[];
}

export interface HistoriesOptions {
  readonly records: number;
  readonly databases: number;
  /** Period in which the histories begin. */
  readonly windowMs: number;
}

const longestDistanceMs = 500;

/** Mostly short distances: crossing changes are a matter of milliseconds. */
const distanceOf = (random: Random): number => random.below(random.chance(0.5) ? 60 : longestDistanceMs + 1);

/** Histories of 2 to 6 edits in random databases at random distances. */
export const planHistories = (random: Random, { records, databases, windowMs }: HistoriesOptions): readonly History[] =>
  Array.from({ length: records }, (_, index): History => {
    const shared = random.chance(0.85);
    const deletes = random.chance(0.2);
    let atMs = random.below(windowMs);
    const edits = Array.from({ length: 2 + random.below(5) }, (_edit, place): PlannedEdit => {
      atMs += place === 0 ? 0 : distanceOf(random);
      const database = random.below(databases);
      // a second insert at about the same time in another database, or again after a deletion
      const inserts = !shared && place < 2;
      if (inserts || (deletes && random.chance(0.15)))
        return { atMs, database, kind: 'INSERT', properties: contactProperties };
      if (deletes && random.chance(0.3)) return { atMs, database, kind: 'DELETE', properties: [] };
      const properties = random.shuffled(contactProperties).slice(0, random.chance(0.75) ? 1 : 2);
      return { atMs, database, kind: 'UPDATE', properties };
    });
    return { id: index + 1, shared, edits };
  });
