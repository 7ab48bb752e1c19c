import type { JsonObject, JsonValue } from '@fds/adaptor-sdk';
import type { Random } from '@fds/testing';

/** Texts of each property; those of one list mean the same. */
const spellings: Readonly<Record<string, readonly (readonly JsonValue[])[]>> = {
  a: [['x'], ['X'], [''], [null]],
  b: [['1', '1.0'], ['1.5', '1.50'], ['0', '0.00'], [null]],
  c: [['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00'], ['2026-01-01T00:00:01Z'], [null]],
  n: [[1], [2], [null]],
};
export const propertyNames = Object.keys(spellings);

/** The model of every case. */
export const modelProperties = {
  id: { type: 'integer' },
  a: { type: 'string' },
  b: { type: 'string', format: 'decimal' },
  c: { type: 'string', format: 'date-time' },
  n: { type: 'integer' },
} as const;

/** The place of the list that a value is in. Undefined: the property is absent. */
export const meaningOf = (property: string, row: JsonObject | undefined): number | undefined => {
  const value = row?.[property];
  return value === undefined ? undefined : spellings[property]?.findIndex((list) => list.includes(value));
};

/** A record at one adaptor before the reconciliation. */
interface PlannedRow {
  /** The contents that the adaptor reports in discovery, one after the other. None: it does not link the record. */
  readonly reports: readonly JsonObject[];
  /** The row of its system when it is asked. Undefined: it has no row. */
  readonly held: JsonObject | undefined;
}

/** An entry of a chain. Zones and adaptors are places in the pool. */
export interface PlannedEntry {
  readonly chain: 'OUTBOUND' | 'INBOUND';
  /** The zone of the chain. */
  readonly zone: number;
  /** Null: every other zone. */
  readonly otherZone: number | null;
  readonly sourceAdaptor: number | null;
  readonly destinationAdaptor: number | null;
  /** Empty: all. */
  readonly properties: readonly string[];
  readonly get: Effect;
  readonly post: Effect;
  readonly put: Effect;
}
export type Effect = 'ALLOW' | 'DENY' | null;

type ValuePolicy = 'KEEP' | 'ADAPTOR' | 'OTHERS' | 'PREFERENCES' | 'LATEST';

/** A change that an adaptor reports after it was asked and before its answer arrives. */
export interface PlannedChange {
  readonly adaptor: number;
  readonly id: number;
  readonly property: string;
  readonly value: JsonValue;
}

export interface PlannedCase {
  readonly seed: number;
  readonly domain: string;
  readonly isStored: boolean;
  readonly groups: readonly (readonly string[])[];
  /** Places in the pool. */
  readonly adaptors: readonly number[];
  readonly here: number;
  readonly actions: ReadonlyMap<number, readonly string[]>;
  /** 0 gold, 1 silver, 2 none. */
  readonly tiers: ReadonlyMap<number, number>;
  /** By adaptor and id. */
  readonly rows: ReadonlyMap<number, ReadonlyMap<number, PlannedRow>>;
  readonly entries: readonly PlannedEntry[];
  readonly values: ValuePolicy;
  readonly missingHere: 'SEND' | 'KEEP';
  readonly missingThere: 'SEND' | 'KEEP';
  readonly properties: readonly string[] | null;
  /** The records of the query. */
  readonly ids: readonly number[] | null;
  readonly change: PlannedChange | undefined;
}

/** Zones of the adaptors of the pool. Zone 0 owns the domains. */
export const zoneOfAdaptor = [0, 0, 1, 1, 2] as const;
export const zoneCount = 3;
const everyAction = ['GET', 'POST', 'PUT', 'DELETE'];

const randomValue = (random: Random, property: string, not?: number): JsonValue => {
  const lists = (spellings[property] ?? []).filter((_, place) => place !== not);
  return random.pick(random.pick(lists));
};

const randomRow = (random: Random, id: number): JsonObject => ({
  id,
  ...Object.fromEntries(random.some(propertyNames, 0.8).map((property) => [property, randomValue(random, property)])),
});

/** The row with another value of some of its properties. */
const changed = (random: Random, row: JsonObject): JsonObject => {
  const own = Object.keys(row).filter((name) => name !== 'id');
  if (own.length === 0) return row;
  const names = new Set([random.pick(own), ...random.some(own, 0.2)]);
  return {
    ...row,
    ...Object.fromEntries([...names].map((name) => [name, randomValue(random, name, meaningOf(name, row))])),
  };
};

const planRow = (random: Random, id: number, canAnswer: boolean, common: JsonObject): PlannedRow => {
  const kind = random.below(10);
  if (kind < 2) return { reports: [], held: undefined };
  const first = random.chance(0.4) ? common : random.chance(0.6) ? changed(random, common) : randomRow(random, id);
  if (kind === 2 && canAnswer) return { reports: [], held: first };
  if (kind === 3) return { reports: [first], held: undefined };
  const second = kind === 4 ? changed(random, first) : undefined;
  const reports = second === undefined || second === first ? [first] : [first, second];
  const last = reports.at(-1) ?? first;
  return { reports, held: kind === 5 ? changed(random, last) : last };
};

const planEntry = (random: Random, adaptors: readonly number[]): PlannedEntry => {
  const chain = random.pick(['OUTBOUND', 'INBOUND'] as const);
  const zone = random.below(zoneCount);
  const effects = (): Effect => random.pick(['ALLOW', 'DENY', 'DENY', null]);
  const [get, post, put] = [random.chance(0.5) ? null : effects(), effects(), effects()];
  const anAdaptor = (): number | null => (random.chance(0.3) ? random.pick(adaptors) : null);
  return {
    chain,
    zone,
    otherZone: random.chance(0.6) ? null : random.below(zoneCount),
    sourceAdaptor: anAdaptor(),
    destinationAdaptor: random.chance(0.5) ? null : anAdaptor(),
    properties: random.chance(0.3) ? [] : [random.pick(propertyNames), ...random.some(propertyNames, 0.3)],
    get,
    post,
    put,
  };
};

/** A random case. The same seed gives the same case. */
export const planCase = (random: Random, seed: number): PlannedCase => {
  const adaptors = random.shuffled(zoneOfAdaptor.map((_, place) => place)).slice(0, 2 + random.below(3));
  const actions = new Map(
    adaptors.map((place) => {
      const kind = random.below(10);
      return [
        place,
        kind === 0 ? ['POST', 'PUT', 'DELETE'] : kind === 1 ? ['GET', 'POST OUT', 'PUT OUT'] : everyAction,
      ];
    }),
  );
  const ids = Array.from({ length: 3 + random.below(6) }, (_, index) => index + 1);
  const commonRows = new Map(ids.map((id) => [id, randomRow(random, id)]));
  const rows = new Map(
    adaptors.map((place) => [
      place,
      new Map(
        ids.map((id) => [
          id,
          planRow(random, id, actions.get(place)?.includes('GET') === true, commonRows.get(id) ?? { id }),
        ]),
      ),
    ]),
  );
  const [here = 0] = adaptors;
  const isStored = random.chance(0.3);
  const ofQuery = random.chance(0.15) ? random.some(ids, 0.6) : [];
  const changing = isStored ? undefined : planChange(random, { adaptors, actions, rows, ids });
  return {
    seed,
    domain: `Case${seed}`,
    isStored,
    groups: random.chance(0.4) ? [['a', 'n']] : [],
    adaptors,
    here,
    actions,
    tiers: new Map(adaptors.map((place) => [place, random.below(3)])),
    rows,
    // an entry could keep the change from another adaptor
    entries: changing === undefined ? Array.from({ length: random.below(4) }, () => planEntry(random, adaptors)) : [],
    values: random.pick(['KEEP', 'ADAPTOR', 'OTHERS', 'PREFERENCES', 'LATEST'] as const),
    missingHere: random.pick(['SEND', 'KEEP'] as const),
    missingThere: random.pick(['SEND', 'KEEP'] as const),
    properties: random.chance(0.2) ? [random.pick(propertyNames), ...random.some(propertyNames, 0.4)] : null,
    ids: ofQuery.length === 0 ? null : ofQuery,
    change: changing,
  };
};

const planChange = (
  random: Random,
  {
    adaptors,
    actions,
    rows,
    ids,
  }: Pick<PlannedCase, 'adaptors' | 'actions' | 'rows'> & { readonly ids: readonly number[] },
): PlannedChange | undefined => {
  if (!random.chance(0.25)) return undefined;
  const places = adaptors.filter((place) => (actions.get(place) ?? []).length === everyAction.length);
  const id = random.pick(ids);
  // an adaptor with an unreported change would report it later
  const isReported = (place: number): boolean => {
    const row = rows.get(place)?.get(id);
    return row === undefined || row.held === row.reports.at(-1);
  };
  const [adaptor] = random.shuffled(places).filter((place) => (rows.get(place)?.get(id)?.reports.length ?? 0) > 0);
  if (adaptor === undefined || !adaptors.every(isReported)) return undefined;
  const held = rows.get(adaptor)?.get(id)?.held;
  const property = random.pick(propertyNames);
  if (meaningOf(property, held) === undefined) return undefined;
  return { adaptor, id, property, value: randomValue(random, property, meaningOf(property, held)) };
};
