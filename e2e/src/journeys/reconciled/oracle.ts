import type { JsonObject, JsonValue } from '@fds/adaptor-sdk';
import { meaningOf, type PlannedCase, type PlannedEntry, propertyNames, zoneOfAdaptor } from './plan-case.js';

/** A record at one adaptor. */
export interface HeldRow {
  readonly held: JsonObject | undefined;
  readonly isLinked: boolean;
}

/** The state of a case, as the specification sees it. */
export interface CaseState {
  /** By id and adaptor. */
  readonly rows: ReadonlyMap<number, ReadonlyMap<number, HeldRow>>;
  /** The data store, by id. Records that the service does not know are in neither. */
  readonly store: ReadonlyMap<number, JsonObject>;
  /** Commits of a record, the first one first. `properties` null: all. */
  readonly commits: ReadonlyMap<number, readonly Commit[]>;
}

interface Commit {
  /** Null: a change of the store. */
  readonly by: number | null;
  readonly properties: readonly string[] | null;
}

/** A side: a place in the pool, or null for the store. */
export type Side = number | null;

interface ExpectedPair {
  readonly property: string;
  readonly other: Side;
  readonly chosen: 'ADAPTOR' | 'OTHER' | null;
  readonly value: JsonValue;
  readonly otherValue: JsonValue;
}

interface ExpectedDifference {
  readonly id: number;
  readonly kind: 'DIFFERING' | 'MISSING_HERE' | 'MISSING_THERE';
  readonly pairs: readonly ExpectedPair[];
}

/** A message that has to leave. */
interface ExpectedMessage {
  readonly id: number;
  readonly to: Side;
  /** ANY: one of several. */
  readonly from: Side | 'ANY';
  readonly action: 'POST' | 'PUT';
  readonly values: JsonObject;
  readonly read: JsonObject;
}

export interface Expected {
  readonly counts: Readonly<Record<string, number>>;
  readonly byProperty: Readonly<Record<string, number>>;
  readonly differences: readonly ExpectedDifference[];
  readonly messages: readonly ExpectedMessage[];
}

type Action = 'get' | 'post' | 'put';
interface Place {
  readonly zone: number;
  readonly adaptor: number | null;
}

const placeOf = (side: Side): Place => ({ zone: side === null ? 0 : (zoneOfAdaptor[side] ?? 0), adaptor: side });

const matches = (entry: PlannedEntry, source: Place, destination: Place): boolean => {
  const [own, other] = entry.chain === 'OUTBOUND' ? [source, destination] : [destination, source];
  if (entry.zone !== own.zone) return false;
  // without a zone: every other zone
  if (entry.otherZone === null ? other.zone === own.zone : entry.otherZone !== other.zone) return false;
  const isNamed = (named: number | null, place: Place): boolean => named === null || named === place.adaptor;
  return isNamed(entry.sourceAdaptor, source) && isNamed(entry.destinationAdaptor, destination);
};

/** Reads both chains entry by entry. */
const isAllowed = (
  { entries }: Pick<PlannedCase, 'entries'>,
  action: Action,
  source: Place,
  destination: Place,
  property: string,
): boolean =>
  (['OUTBOUND', 'INBOUND'] as const).every((chain) => {
    const decides = entries.find(
      (entry) =>
        entry.chain === chain &&
        entry[action] !== null &&
        (entry.properties.length === 0 || entry.properties.includes(property)) &&
        matches(entry, source, destination),
    );
    return decides?.[action] !== 'DENY';
  });

const pick = (row: JsonObject, keep: (property: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(row).filter(([property]) => keep(property)));

type Reading =
  | { readonly kind: 'VALUES'; readonly values: JsonObject }
  | { readonly kind: 'MISSING' }
  | { readonly kind: 'UNREAD'; readonly isLinked: boolean };

const valuesOf = (reading: Reading | undefined): JsonObject | undefined =>
  reading?.kind === 'VALUES' ? reading.values : undefined;

/** Everything that is known about a record when its sides were asked. */
interface AskedRecord {
  readonly id: number;
  readonly readings: ReadonlyMap<Side, Reading>;
  readonly others: readonly Side[];
  readonly commits: readonly Commit[];
}

const readAdaptor = (given: PlannedCase, adaptor: number, { held, isLinked }: HeldRow): Reading => {
  if (given.actions.get(adaptor)?.includes('GET') !== true) {
    return isLinked ? { kind: 'UNREAD', isLinked } : { kind: 'MISSING' };
  }
  const asking = { zone: placeOf(given.here).zone, adaptor: null };
  const isVisible = (property: string): boolean => isAllowed(given, 'get', placeOf(adaptor), asking, property);
  if (!['id', ...propertyNames].some(isVisible)) return { kind: 'UNREAD', isLinked };
  if (held === undefined) return { kind: 'MISSING' };
  const values = pick(held, isVisible);
  return Object.keys(values).length === 0 ? { kind: 'UNREAD', isLinked: true } : { kind: 'VALUES', values };
};

/** The first one after sorting by each rank in turn. */
const best = (sides: readonly Side[], ...ranks: readonly ((side: Side) => number)[]): Side | undefined => {
  let left = [...sides];
  for (const rank of ranks) {
    const least = Math.min(...left.map(rank));
    left = left.filter((side) => rank(side) === least);
  }
  // names are in the order of the pool; the store has none
  return left.toSorted((one, other) => (one ?? -1) - (other ?? -1))[0];
};

/** @param lastUpdated the time that an adaptor states for its row */
export const expectCase = (
  given: PlannedCase,
  state: CaseState,
  lastUpdated: (adaptor: number, row: JsonObject) => number,
): Expected => {
  const { here, values: policy, isStored } = given;
  const counts = { equal: 0, differing: 0, missingHere: 0, missingThere: 0, unreadable: 0 };
  const byProperty: Record<string, number> = {};
  const differences: ExpectedDifference[] = [];
  const messages: ExpectedMessage[] = [];
  const tier = (side: Side): number => (side === null ? 0 : (given.tiers.get(side) ?? 2));

  for (const [id, at] of state.rows) {
    if (given.ids?.includes(id) === false) continue;
    const readings = new Map<Side, Reading>(
      given.adaptors.map((adaptor) => [
        adaptor,
        readAdaptor(given, adaptor, at.get(adaptor) ?? { held: undefined, isLinked: false }),
      ]),
    );
    const stored = state.store.get(id);
    if (isStored) readings.set(null, stored === undefined ? { kind: 'MISSING' } : { kind: 'VALUES', values: stored });
    const record: AskedRecord = {
      id,
      readings,
      others: isStored ? [null] : given.adaptors.filter((adaptor) => adaptor !== here),
      commits: state.commits.get(id) ?? [],
    };
    const own = readings.get(here) ?? { kind: 'UNREAD', isLinked: false };
    const { others } = record;
    const having = others.filter((side) => valuesOf(readings.get(side)) !== undefined);
    const lacking = others.filter((side) => readings.get(side)?.kind === 'MISSING');
    const mayHave = others.some((side) => {
      const reading = readings.get(side);
      return reading?.kind === 'UNREAD' && reading.isLinked;
    });
    const meaning = (side: Side, property: string): number | undefined =>
      meaningOf(property, valuesOf(readings.get(side)));
    const differingPairs =
      own.kind !== 'VALUES'
        ? []
        : having.flatMap((other) =>
            propertyNames.flatMap((property) => {
              const [left, right] = [meaning(here, property), meaning(other, property)];
              const isCompared = given.properties?.includes(property) !== false;
              return isCompared && left !== undefined && right !== undefined && left !== right
                ? [{ property, other }]
                : [];
            }),
          );
    const kind = ((): keyof typeof counts | undefined => {
      if (own.kind === 'UNREAD') return own.isLinked || having.length > 0 || mayHave ? 'unreadable' : undefined;
      if (own.kind === 'MISSING') return having.length > 0 ? 'missingHere' : mayHave ? 'unreadable' : undefined;
      if (having.length > 0) return differingPairs.length > 0 ? 'differing' : 'equal';
      return lacking.length > 0 && !mayHave ? 'missingThere' : 'unreadable';
    })();
    if (kind === undefined) continue;
    counts[kind] += 1;
    const differingNames = [...new Set(differingPairs.map(({ property }) => property))];
    for (const property of differingNames) byProperty[property] = (byProperty[property] ?? 0) + 1;

    const committed = (side: Side, property: string): number =>
      record.commits.findLastIndex(
        ({ by, properties }) => by === side && (properties === null || properties.includes(property)),
      );
    const has = (side: Side, property: string): boolean => meaning(side, property) !== undefined;
    const updated = (side: Side): number => {
      const row = typeof side === 'number' ? at.get(side)?.held : undefined;
      return typeof side === 'number' && row !== undefined ? lastUpdated(side, row) : 0;
    };
    /** As assembly merges the other sides. */
    const merged = (property: string): Side | undefined => {
      const group = given.groups.find((names) => names.includes(property)) ?? [property];
      const sides = others.filter((side) => group.some((name) => valuesOf(readings.get(side))?.[name] !== undefined));
      const side = best(sides, tier, (each) => -updated(each));
      return side !== undefined && valuesOf(readings.get(side))?.[property] !== undefined ? side : undefined;
    };
    const winner = (property: string): Side | undefined => {
      const sides = [here, ...others].filter((side) => has(side, property));
      const latest = (side: Side): number => -committed(side, property);
      if (policy === 'ADAPTOR') return here;
      if (policy === 'OTHERS') return merged(property);
      if (policy === 'PREFERENCES') return best(sides, tier, latest);
      if (policy === 'LATEST') return best(sides, latest);
      return undefined;
    };
    const winners = new Map(differingNames.map((property) => [property, winner(property)]));

    if (kind === 'differing' || kind === 'missingHere' || kind === 'missingThere') {
      differences.push({
        id,
        kind: kind === 'differing' ? 'DIFFERING' : kind === 'missingHere' ? 'MISSING_HERE' : 'MISSING_THERE',
        pairs: differingPairs.map(({ property, other }) => {
          const from = winners.get(property);
          const value = from === undefined ? undefined : meaning(from, property);
          return {
            property,
            other,
            chosen:
              // the adaptor has this value already
              value === undefined || (policy === 'OTHERS' && value === meaning(here, property))
                ? null
                : value === meaning(here, property)
                  ? 'ADAPTOR'
                  : value === meaning(other, property)
                    ? 'OTHER'
                    : null,
            value: valuesOf(own)?.[property] ?? null,
            otherValue: valuesOf(readings.get(other))?.[property] ?? null,
          };
        }),
      });
    }

    const may = (side: Side, action: 'POST' | 'PUT'): boolean =>
      side === null || given.actions.get(side)?.some((each) => each.startsWith(action)) === true;
    const send = (from: Side | 'ANY', to: Side, action: 'POST' | 'PUT', values: JsonObject, read: JsonObject): void => {
      if (Object.keys(values).length > 0 && may(to, action)) messages.push({ id, from, to, action, values, read });
    };
    // the values of one source for one destination are one message
    for (const from of [here, ...others]) {
      for (const to of policy === 'OTHERS' ? [here] : [here, ...others]) {
        const taken = differingNames.filter((property) => {
          const [wanted, held] = [meaning(from, property), meaning(to, property)];
          return winners.get(property) === from && held !== undefined && held !== wanted;
        });
        const allowed = pick(
          valuesOf(readings.get(from)) ?? {},
          (property) => taken.includes(property) && isAllowed(given, 'put', placeOf(from), placeOf(to), property),
        );
        send(
          from,
          to,
          'PUT',
          allowed,
          pick(valuesOf(readings.get(to)) ?? {}, (property) => taken.includes(property)),
        );
      }
    }
    if (kind === 'missingHere' && given.missingHere === 'SEND') {
      const whole: Record<string, JsonValue> = {};
      const sources = new Map<Side, number>();
      for (const property of ['id', ...propertyNames]) {
        const from = merged(property);
        const value = from === undefined ? undefined : valuesOf(readings.get(from))?.[property];
        if (from === undefined || value === undefined) continue;
        if (!isAllowed(given, 'post', placeOf(from), placeOf(here), property)) continue;
        whole[property] = value;
        sources.set(from, (sources.get(from) ?? 0) + 1);
      }
      const [from] = [...sources.keys()].toSorted((one, other) => (sources.get(other) ?? 0) - (sources.get(one) ?? 0));
      const isOne = [...sources.values()].filter((count) => count === sources.get(from ?? null)).length === 1;
      // one of two sources with the same number of values is named
      if (from !== undefined) send(isOne ? from : 'ANY', here, 'POST', whole, {});
    }
    if (own.kind === 'VALUES' && given.missingThere === 'SEND') {
      for (const to of lacking) {
        if (to === null) continue;
        const allowed = pick(own.values, (name) => isAllowed(given, 'post', placeOf(here), placeOf(to), name));
        send(here, to, 'POST', allowed, {});
      }
    }
  }
  const examined = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { counts: { examined, ...counts, sent: messages.length }, byProperty, differences, messages };
};
