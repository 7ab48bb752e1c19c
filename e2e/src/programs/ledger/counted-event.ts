import type { JsonObject } from '@fds/adaptor-protocol';

/** An event of a counting source: the counter of the record is now `n`. */
export interface CountedEvent {
  readonly id: string;
  /** Starts at 1 and increases by one with every event of the record. */
  readonly n: number;
  /** Follows from the other members, so that mixed-up content is detected. */
  readonly note: string;
}

/** Properties of the domain of the counting adaptors. */
export const countedProperties = {
  id: { type: 'string' },
  n: { type: 'integer' },
  note: { type: 'string' },
} as const;

/** Number of events of a record; after them a new record follows. */
const eventsPerRecord = 10;

/**
 * The event at this place in a stream, counted from 0. `records` records take turns. Each has ten events, and then
 * another record replaces it. So at any time some records are new and some are known.
 */
export const countedEvent = (stream: string, records: number, place: number): CountedEvent => {
  const generation = Math.floor(place / (records * eventsPerRecord));
  const id = `${stream}-${generation}-${place % records}`;
  const n = (Math.floor(place / records) % eventsPerRecord) + 1;
  return { id, n, note: `${id} for the ${n}. time` };
};

/** Reads an applied event; undefined when no source has published it. */
export const readCountedEvent = (json: JsonObject): CountedEvent | undefined => {
  const { id, n, note } = json;
  if (typeof id !== 'string' || typeof n !== 'number' || note !== `${id} for the ${n}. time`) return undefined;
  return { id, n, note };
};
