import { hasValues, type Comparison, type DifferingPair, type Side } from './compare-record.js';

export type ValuePolicy = 'KEEP' | 'ADAPTOR' | 'OTHERS' | 'PREFERENCES' | 'LATEST';

/** Facts by which one value is chosen among those of several sides. */
export interface ValueFacts {
  /** The tier of a side in the zone of the adaptor: 0 is gold. */
  readonly tierOf: (side: string | null) => number;
  /** Names order adaptors of one tier. */
  readonly nameOf: (side: string | null) => string;
  /** The time of the latest change of the record at a side, as assembly merges it. */
  readonly changedAt: (side: string | null) => number;
  /** The place of the last change of the property by a side in the order of the commits; -1: none is known. */
  readonly committedAt: (side: string | null, property: string) => number;
  /** The properties that assembly takes together with a property, itself included. */
  readonly togetherWith: (property: string) => readonly string[];
}

/** The value of a property that is taken, and the sides that do not have it. */
export interface ChosenValue {
  readonly property: string;
  readonly from: string | null;
  readonly to: readonly (string | null)[];
}

/** The members of a difference as it is listed. */
export interface ListedPair extends DifferingPair {
  /** The side that gives its value to the other. Null: neither. */
  readonly chosen: 'ADAPTOR' | 'OTHER' | null;
}

type Order<Value> = (one: Value, other: Value) => number;

const byName =
  ({ nameOf }: ValueFacts): Order<Side> =>
  (one, other) => {
    const [left, right] = [`${nameOf(one.uuid)}\n${one.uuid}`, `${nameOf(other.uuid)}\n${other.uuid}`];
    return left < right ? -1 : left > right ? 1 : 0;
  };

const firstBy = (sides: readonly Side[], ...orders: readonly Order<Side>[]): Side | undefined =>
  sides.toSorted((one, other) => {
    for (const order of orders) {
      const result = order(one, other);
      if (result !== 0) return result;
    }
    return 0;
  })[0];

const contentOfSide = ({ reading }: Side, property: string): string | undefined =>
  reading.kind === 'VALUES' ? reading.content[property] : undefined;

const having = (sides: readonly Side[], properties: readonly string[]): readonly Side[] =>
  sides.filter((side) => properties.some((property) => contentOfSide(side, property) !== undefined));

/** The side whose value of a property assembly takes among the others. Undefined: it takes none. */
export const takenOfOthers = (property: string, others: readonly Side[], facts: ValueFacts): Side | undefined => {
  const tier: Order<Side> = (one, other) => facts.tierOf(one.uuid) - facts.tierOf(other.uuid);
  const change: Order<Side> = (one, other) => facts.changedAt(other.uuid) - facts.changedAt(one.uuid);
  return firstBy(having(others, facts.togetherWith(property)), tier, change, byName(facts));
};

/** The side whose value counts. Undefined: no value is taken. */
const winnerOf = (
  policy: ValuePolicy,
  property: string,
  { here, others }: { readonly here: Side; readonly others: readonly Side[] },
  facts: ValueFacts,
): Side | undefined => {
  const tier: Order<Side> = (one, other) => facts.tierOf(one.uuid) - facts.tierOf(other.uuid);
  const commit: Order<Side> = (one, other) =>
    facts.committedAt(other.uuid, property) - facts.committedAt(one.uuid, property);
  const name = byName(facts);
  switch (policy) {
    case 'KEEP':
      return undefined;
    case 'ADAPTOR':
      return here;
    case 'OTHERS':
      return takenOfOthers(property, others, facts);
    case 'PREFERENCES':
      return firstBy(having([here, ...others], [property]), tier, commit, name);
    case 'LATEST':
      return firstBy(having([here, ...others], [property]), commit, name);
  }
};

/** Decides for each differing property whose value is taken, and who does not have it. */
export const chooseValues = (
  policy: ValuePolicy,
  {
    here,
    others,
    comparison,
  }: { readonly here: Side; readonly others: readonly Side[]; readonly comparison: Comparison },
  facts: ValueFacts,
): readonly ChosenValue[] => {
  const properties = [...new Set(comparison.pairs.map(({ property }) => property))];
  return properties.flatMap((property): ChosenValue[] => {
    const winner = winnerOf(policy, property, { here, others }, facts);
    const value = winner && contentOfSide(winner, property);
    if (winner === undefined || value === undefined) return [];
    const addressed = policy === 'OTHERS' ? [here] : [here, ...others].filter(hasValues);
    const to = addressed.flatMap((side) => {
      const held = contentOfSide(side, property);
      return held === undefined || held === value ? [] : [side.uuid];
    });
    return to.length === 0 ? [] : [{ property, from: winner.uuid, to }];
  });
};

/** The pairs of a comparison with the value that is taken of each. */
export const listPairs = (
  {
    here,
    others,
    comparison,
  }: { readonly here: Side; readonly others: readonly Side[]; readonly comparison: Comparison },
  chosen: readonly ChosenValue[],
): readonly ListedPair[] =>
  comparison.pairs.map((pair) => {
    const { property, otherUuid } = pair;
    const taken = chosen.find((each) => each.property === property);
    const winner = taken && [here, ...others].find(({ uuid }) => uuid === taken.from);
    const value = winner && contentOfSide(winner, property);
    if (value === undefined) return { ...pair, chosen: null };
    if (value === contentOfSide(here, property)) return { ...pair, chosen: 'ADAPTOR' };
    const other = others.find(({ uuid }) => uuid === otherUuid);
    return { ...pair, chosen: other !== undefined && value === contentOfSide(other, property) ? 'OTHER' : null };
  });
