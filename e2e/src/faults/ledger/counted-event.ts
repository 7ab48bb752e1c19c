import type { JsonObject } from '@fds/adaptor-protocol';

/** What a counting source says of a record: that its counter stands at `n`. */
export interface CountedEvent {
  readonly id: string;
  /** From 1, one more with every event of the record. */
  readonly n: number;
  /** Follows from the others: content that was mixed up shows. */
  readonly note: string;
}

/** Properties of the domain that counting adaptors speak of. */
export const countedProperties = {
  id: { type: 'string' },
  n: { type: 'integer' },
  note: { type: 'string' },
} as const;

/** Events of a record; then new records come. */
const eventsPerRecord = 10;

/**
 * The event with that place in a stream, from 0. As many records as `records` take turns, each has its ten events, and then
 * others take over: all along some are new and some are known.
 */
export const countedEvent = (stream: string, records: number, place: number): CountedEvent => {
  const generation = Math.floor(place / (records * eventsPerRecord));
  const id = `${stream}-${generation}-${place % records}`;
  const n = (Math.floor(place / records) % eventsPerRecord) + 1;
  return { id, n, note: `${id} for the ${n}. time` };
};

/** Reads an applied event; undefined where it is none that a source has said. */
export const readCountedEvent = (json: JsonObject): CountedEvent | undefined => {
  const { id, n, note } = json;
  if (typeof id !== 'string' || typeof n !== 'number' || note !== `${id} for the ${n}. time`) return undefined;
  return { id, n, note };
};
