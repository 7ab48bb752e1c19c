import type { RecordedEvent } from './recorded-event.js';

/** The difference between the content of a destination after the rehearsed decisions and its recorded content. */
export interface Deviation {
  /** UNCHANGED: it has the record in both or in none. */
  readonly record: 'UNCHANGED' | 'LACKS' | 'HAS';
  /** Properties of which it got no value. */
  readonly lacks: ReadonlySet<string>;
  /** Properties of which it has an earlier value. */
  readonly stale: ReadonlySet<string>;
  /** Properties whose last value it got, although it was kept from it. */
  readonly has: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** A deviation as a whole. */
export const wholly = (record: Deviation['record']): Deviation => ({ record, lacks: none, stale: none, has: none });

const noDeviation = wholly('UNCHANGED');

/** Bytes that deviations may take. */
const maxDeviationBytes = 64 * 2 ** 20;
/** Bytes of a deviation, and of a name in it. */
const deviationBytes = 400;
const nameBytes = 64;

const bytesOf = ({ lacks, stale, has }: Deviation): number =>
  deviationBytes + nameBytes * (lacks.size + stale.size + has.size);

type HeldEvent = Pick<RecordedEvent, 'version' | 'drKey' | 'source'>;

const heldKey = ({ version, drKey, source }: HeldEvent): string => `${source.uuid} ${version.uuid} ${drKey}`;

/** The records during a rehearsal, as far as they differ from the recorded ones. The others take no memory. */
export class RehearsedRecords {
  readonly #deviations = new Map<string, Deviation>();
  /** Records that were not created, with the sources whose events wait. */
  readonly #missing = new Set<string>();
  readonly #held = new Set<string>();
  #bytes = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = maxDeviationBytes) {
    this.#maxBytes = maxBytes;
  }

  get isFull(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  isMissing(recordUuid: string): boolean {
    return this.#missing.has(recordUuid);
  }

  /** Does an event of the key from the source wait, so that the later ones wait too? */
  isHeld(event: HeldEvent): boolean {
    return this.#held.has(heldKey(event));
  }

  hold(event: HeldEvent): void {
    this.#add(this.#held, heldKey(event));
  }

  lose(recordUuid: string): void {
    this.#add(this.#missing, recordUuid);
  }

  create(recordUuid: string): void {
    this.#missing.delete(recordUuid);
  }

  at(recordUuid: string, placeUuid: string | null): Deviation {
    return this.#deviations.get(`${recordUuid} ${placeUuid}`) ?? noDeviation;
  }

  /** Keeps a deviation; one without a difference is forgotten. */
  keep(recordUuid: string, placeUuid: string | null, deviation: Deviation): void {
    const key = `${recordUuid} ${placeUuid}`;
    const before = this.#deviations.get(key);
    if (before !== undefined) this.#bytes -= bytesOf(before);
    if (deviation.record === 'UNCHANGED' && deviation.lacks.size + deviation.stale.size + deviation.has.size === 0) {
      this.#deviations.delete(key);
      return;
    }
    this.#deviations.set(key, deviation);
    this.#bytes += bytesOf(deviation);
  }

  #add(to: Set<string>, key: string): void {
    if (to.has(key)) return;
    to.add(key);
    this.#bytes += deviationBytes + key.length;
  }
}
