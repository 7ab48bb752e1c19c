import type { CountedEvent } from './counted-event.js';

/** The effects in a destination. At the end of a run, only `applied` may be above 0. */
export interface Effects {
  /** Number of all effects. */
  readonly applied: number;
  /** Number of repeated effects. */
  readonly doubled: number;
  /** Number of effects that happened after a later one of the same record. */
  readonly inverted: number;
  /** Number of effects that were skipped and are still missing. */
  readonly missing: number;
}

interface RecordEffects {
  last: number;
  readonly passedOver: Set<number>;
}

/** The effects in one destination, in the order in which they happened. */
export class EffectBook {
  readonly #records = new Map<string, RecordEffects>();
  #applied = 0;
  #doubled = 0;
  #inverted = 0;

  add({ id, n }: Pick<CountedEvent, 'id' | 'n'>): void {
    const record = this.#records.get(id) ?? { last: 0, passedOver: new Set<number>() };
    this.#records.set(id, record);
    this.#applied += 1;
    if (n > record.last) {
      for (let missed = record.last + 1; missed < n; missed += 1) record.passedOver.add(missed);
      record.last = n;
    } else if (record.passedOver.delete(n)) this.#inverted += 1;
    else this.#doubled += 1;
  }

  /** Was this event applied? */
  has({ id, n }: Pick<CountedEvent, 'id' | 'n'>): boolean {
    const record = this.#records.get(id);
    return record !== undefined && n <= record.last && !record.passedOver.has(n);
  }

  effects(): Effects {
    let missing = 0;
    for (const { passedOver } of this.#records.values()) missing += passedOver.size;
    return { applied: this.#applied, doubled: this.#doubled, inverted: this.#inverted, missing };
  }
}
