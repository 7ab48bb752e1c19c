import type { DeliveredAction } from '../../domain/events/event-outcome.js';
import type { RecordedEvent } from './recorded-event.js';
import type { Rehearsed } from './rehearse-event.js';

/** Differences that an answer lists; further ones are only counted. */
const maxListed = 1_000;

interface DecidedMessage {
  readonly status: string;
  readonly action: DeliveredAction | null;
  readonly removedProperties: readonly string[];
}

/** A destination that gets something else, or nothing. */
interface Difference {
  readonly dataEventUuid: string;
  readonly drUuid: string;
  /** JSON text; null: the caller may not see it. */
  readonly drKey: string | null;
  readonly destinationAdaptorUuid: string | null;
  readonly before: DecidedMessage;
  readonly after: DecidedMessage;
}

interface Balance {
  gains: number;
  loses: number;
}

/** The record that an event is found to mean. */
interface MatchOutcome {
  readonly matchStatus: string | null;
  /** Null: a new record, or one that the caller may not see. */
  readonly drUuid: string | null;
}

/** An event that is found to mean another record. */
interface MatchDifference {
  readonly dataEventUuid: string;
  readonly before: MatchOutcome;
  readonly after: MatchOutcome;
}

/** The answer to a rehearsal. */
export interface RehearsalReport {
  readonly examined: number;
  readonly unchanged: number;
  readonly changed: number;
  readonly differences: readonly Difference[];
  readonly byAdaptor: readonly (Balance & { readonly adaptorUuid: string | null })[];
  readonly byProperty: readonly (Balance & { readonly property: string })[];
  readonly matching: readonly MatchDifference[];
}

const without = (names: readonly string[], others: readonly string[]): string[] => {
  const left = new Set(others);
  return names.filter((name) => !left.has(name));
};

const balanceOf = <Key>(balances: Map<Key, Balance>, key: Key): Balance => {
  const known = balances.get(key);
  if (known !== undefined) return known;
  const balance = { gains: 0, loses: 0 };
  balances.set(key, balance);
  return balance;
};

/** The differences of one event. */
export interface ComparedEvent {
  readonly event: Pick<RecordedEvent, 'uuid' | 'recordUuid'>;
  /** JSON text; null: the caller may not see it. */
  readonly drKey: string | null;
  readonly rehearsed: readonly Rehearsed[];
  /** Properties that holders of the role would see, and those that they would see no more. */
  readonly sight: { readonly gained: readonly string[]; readonly lost: readonly string[] };
  /** Undefined: the event still means the same record. */
  readonly match: { readonly before: MatchOutcome; readonly after: MatchOutcome } | undefined;
}

/** Counts the differences of a rehearsal. */
export class RehearsalTally {
  readonly #byAdaptor = new Map<string | null, Balance>();
  readonly #byProperty = new Map<string, Balance>();
  readonly #differences: Difference[] = [];
  readonly #matching: MatchDifference[] = [];
  #examined = 0;
  #changed = 0;

  add({ event, drKey, rehearsed, sight, match }: ComparedEvent): void {
    this.#examined += 1;
    let isChanged = match !== undefined || sight.gained.length + sight.lost.length > 0;
    for (const destination of rehearsed) {
      if (!this.#compare(destination)) continue;
      isChanged = true;
      if (this.#differences.length >= maxListed) continue;
      const { adaptorUuid: destinationAdaptorUuid, before, after } = destination;
      this.#differences.push({
        dataEventUuid: event.uuid,
        drUuid: event.recordUuid,
        drKey,
        destinationAdaptorUuid,
        before: { status: before.status, action: before.action, removedProperties: before.removed },
        after: { status: after.status, action: after.action, removedProperties: after.removed },
      });
    }
    for (const name of sight.gained) balanceOf(this.#byProperty, name).gains += 1;
    for (const name of sight.lost) balanceOf(this.#byProperty, name).loses += 1;
    if (match !== undefined && this.#matching.length < maxListed) {
      this.#matching.push({ dataEventUuid: event.uuid, ...match });
    }
    if (isChanged) this.#changed += 1;
  }

  /** Counts one destination. @returns whether it is different */
  #compare({ adaptorUuid, before, after }: Rehearsed): boolean {
    const isSent = after.status === 'QUEUED';
    if (before.isSent !== isSent) {
      balanceOf(this.#byAdaptor, adaptorUuid)[isSent ? 'gains' : 'loses'] += 1;
      return true;
    }
    if (!isSent) return (before.status === 'DENIED') !== (after.status === 'DENIED');
    const gained = without(before.removed, after.removed);
    const lost = without(after.removed, before.removed);
    for (const name of gained) balanceOf(this.#byProperty, name).gains += 1;
    for (const name of lost) balanceOf(this.#byProperty, name).loses += 1;
    return gained.length + lost.length > 0 || before.action !== after.action;
  }

  report(): RehearsalReport {
    const order = (one: string | null, other: string | null): number => ((one ?? '') < (other ?? '') ? -1 : 1);
    return {
      examined: this.#examined,
      unchanged: this.#examined - this.#changed,
      changed: this.#changed,
      differences: this.#differences,
      byAdaptor: [...this.#byAdaptor]
        .map(([adaptorUuid, balance]) => ({ adaptorUuid, ...balance }))
        .toSorted((one, other) => order(one.adaptorUuid, other.adaptorUuid)),
      byProperty: [...this.#byProperty]
        .map(([property, balance]) => ({ property, ...balance }))
        .toSorted((one, other) => order(one.property, other.property)),
      matching: this.#matching,
    };
  }
}
