import { describe, expect, it } from '@jest/globals';
import { canonicalJson, type JsonObject, type JsonValue } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { casesOf, createRandom, type Random } from '@fds/testing';
import { chooseValues, listPairs, type ValueFacts, type ValuePolicy } from './choose-values.js';
import { compareRecord, type Reading, type Side } from './compare-record.js';
import { normalContent } from './normal-record.js';
import { planEffects } from './plan-effects.js';

const compilation = compileModelSchema({
  modelSchema: {
    properties: {
      id: { type: 'integer' },
      amount: { type: 'string', format: 'decimal' },
      at: { type: 'string', format: 'date-time' },
      note: { type: 'string' },
      place: { type: 'object', properties: { city: { type: 'string' }, size: { type: 'number' } } },
    },
    propertyGroups: [['amount', 'note']],
  },
  drKeyProperties: ['id'],
});
if (compilation.model === undefined) throw new Error('the model is not valid');
const { model } = compilation;

/** Texts of each property; those of one list are the same value. */
const spellings: Readonly<Record<string, readonly (readonly JsonValue[])[]>> = {
  amount: [['1', '1.0', '01.00'], ['1.5', '1.50'], ['-0', '0', '0.00'], [null]],
  at: [
    ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:01Z'],
    [null],
  ],
  note: [['a'], ['A'], [''], [null]],
  place: [
    [
      { city: 'x', size: 1 },
      { size: 1n, city: 'x' },
    ],
    [{ city: 'x' }],
    [null],
  ],
};

/** The value as the oracle sees it: the place of its list. */
type Meaning = Readonly<Record<string, number>>;

interface Row {
  readonly values: JsonObject;
  readonly meaning: Meaning;
}

type State =
  | { readonly kind: 'ROW'; readonly row: Row }
  | { readonly kind: 'MISSING' }
  | { readonly kind: 'UNREAD'; readonly isLinked: boolean };

const randomRow = (random: Random): Row => {
  const values: Record<string, JsonValue> = { id: 1 };
  const meaning: Record<string, number> = {};
  for (const [property, lists] of Object.entries(spellings)) {
    if (random.below(4) === 0) continue;
    const place = random.below(lists.length);
    const list = lists[place] ?? [];
    values[property] = list[random.below(list.length)] ?? null;
    meaning[property] = place;
  }
  return { values, meaning };
};

const randomState = (random: Random): State => {
  const kind = random.below(6);
  if (kind === 0) return { kind: 'MISSING' };
  if (kind === 1) return { kind: 'UNREAD', isLinked: random.below(2) === 0 };
  return { kind: 'ROW', row: randomRow(random) };
};

const readingOf = (state: State): Reading =>
  state.kind === 'ROW'
    ? { kind: 'VALUES', values: state.row.values, content: normalContent(model, state.row.values) }
    : state;

interface Case {
  readonly here: State;
  readonly others: readonly State[];
  readonly properties: ReadonlySet<string> | undefined;
  readonly tiers: readonly number[];
  readonly changes: readonly number[];
  readonly commits: readonly Readonly<Record<string, number>>[];
}

const names = ['here', 'b', 'c', 'd'];

const randomCase = (random: Random): Case => {
  const others = Array.from({ length: 1 + random.below(3) }, () => randomState(random));
  const perSide = <Value>(make: () => Value): Value[] => names.map(make);
  return {
    here: randomState(random),
    others,
    properties: random.below(4) === 0 ? new Set(['note', 'at']) : undefined,
    tiers: perSide(() => random.below(3)),
    changes: perSide(() => random.below(3)),
    commits: perSide(() =>
      Object.fromEntries(Object.keys(spellings).map((property) => [property, random.below(4) - 1])),
    ),
  };
};

const rowOf = (state: State | undefined): Row | undefined => (state?.kind === 'ROW' ? state.row : undefined);

/** Reads the specification sentence by sentence. */
const expectedKind = ({ here, others, properties }: Case): string => {
  const rows = others.flatMap((state) => rowOf(state) ?? []);
  const mayHave = others.some((state) => state.kind === 'UNREAD' && state.isLinked);
  if (here.kind === 'UNREAD') return here.isLinked || rows.length > 0 || mayHave ? 'UNREADABLE' : 'ABSENT';
  if (here.kind === 'MISSING') return rows.length > 0 ? 'MISSING_HERE' : mayHave ? 'UNREADABLE' : 'ABSENT';
  if (rows.length > 0) {
    const differs = rows.some((row) =>
      Object.keys(spellings).some((property) => {
        const [own, other] = [here.row.meaning[property], row.meaning[property]];
        return properties?.has(property) !== false && own !== undefined && other !== undefined && own !== other;
      }),
    );
    return differs ? 'DIFFERING' : 'EQUAL';
  }
  return others.some(({ kind }) => kind === 'MISSING') && !mayHave ? 'MISSING_THERE' : 'UNREADABLE';
};

/** The place of the side whose value of a property is taken; -1: none is. */
const expectedWinner = (policy: ValuePolicy, property: string, given: Case): number => {
  const states = [given.here, ...given.others];
  const has = (place: number, of = property): boolean => rowOf(states[place])?.meaning[of] !== undefined;
  const places = states.map((_, place) => place);
  const best = (from: readonly number[], ...ranks: readonly ((place: number) => number)[]): number => {
    let left = [...from];
    for (const rank of ranks) {
      const least = Math.min(...left.map(rank));
      left = left.filter((place) => rank(place) === least);
    }
    return left.toSorted((one, other) => ((names[one] ?? '') < (names[other] ?? '') ? -1 : 1))[0] ?? -1;
  };
  const tier = (place: number): number => given.tiers[place] ?? 0;
  const commit = (place: number): number => -(given.commits[place]?.[property] ?? -1);
  const group = property === 'amount' || property === 'note' ? ['amount', 'note'] : [property];
  switch (policy) {
    case 'KEEP':
      return -1;
    case 'ADAPTOR':
      return 0;
    case 'OTHERS': {
      const winner = best(
        places.slice(1).filter((place) => group.some((each) => has(place, each))),
        tier,
        (place) => -(given.changes[place] ?? 0),
      );
      return winner === -1 || !has(winner) ? -1 : winner;
    }
    case 'PREFERENCES':
      return best(
        places.filter((place) => has(place)),
        tier,
        commit,
      );
    case 'LATEST':
      return best(
        places.filter((place) => has(place)),
        commit,
      );
  }
};

const check = (given: Case, policy: ValuePolicy): void => {
  const here: Side = { uuid: 'here', reading: readingOf(given.here) };
  const others = given.others.map((state, place): Side => ({
    uuid: names[place + 1] ?? '',
    reading: readingOf(state),
  }));
  const placeOf = (side: string | null): number => names.indexOf(side ?? '');
  const facts: ValueFacts = {
    tierOf: (side) => given.tiers[placeOf(side)] ?? 0,
    nameOf: (side) => side ?? '',
    changedAt: (side) => given.changes[placeOf(side)] ?? 0,
    committedAt: (side, property) => given.commits[placeOf(side)]?.[property] ?? -1,
    togetherWith: (property) => model.propertyGroups.find((group) => group.includes(property)) ?? [property],
  };
  const comparison = compareRecord(here, others, given.properties);
  expect(comparison.kind).toBe(expectedKind(given));
  const own = rowOf(given.here);
  const differing = Object.keys(spellings).flatMap((property) =>
    given.others.flatMap((state, place) => {
      const [left, right] = [own?.meaning[property], rowOf(state)?.meaning[property]];
      const differs = left !== undefined && right !== undefined && left !== right;
      return differs && given.properties?.has(property) !== false ? [`${property} ${names[place + 1]}`] : [];
    }),
  );
  expect(comparison.pairs.map(({ property, otherUuid }) => `${property} ${otherUuid}`).toSorted()).toEqual(
    differing.toSorted(),
  );

  const compared = { here, others, comparison };
  const chosen = chooseValues(policy, compared, facts);
  const states = [given.here, ...given.others];
  const meant = new Set(differing.map((pair) => pair.split(' ')[0] ?? ''));
  const expected = [...meant].flatMap((property) => {
    const winner = expectedWinner(policy, property, given);
    const value = rowOf(states[winner])?.meaning[property];
    if (value === undefined) return [];
    const to = states.flatMap((state, place) => {
      const held = rowOf(state)?.meaning[property];
      const isAddressed = policy === 'OTHERS' ? place === 0 : true;
      return isAddressed && held !== undefined && held !== value ? [names[place] ?? ''] : [];
    });
    return to.length === 0 ? [] : [{ property, from: names[winner] ?? '', to }];
  });
  const byProperty = <Each extends { readonly property: string }>(list: readonly Each[]): readonly Each[] =>
    list.toSorted((one, other) => (one.property < other.property ? -1 : 1));
  expect(byProperty(chosen)).toEqual(byProperty(expected));

  // after the effects every side that was addressed has the value that was taken
  const transfers = planEffects(
    { preview: false, values: policy, missingHere: 'SEND', missingThere: 'SEND' },
    compared,
    facts,
    (uuid) => ({ uuid, zoneUuid: 'zone' }),
  );
  for (const { from, to, properties } of transfers.values) {
    for (const property of properties) {
      expect(rowOf(states[placeOf(to)])?.meaning[property]).not.toBe(rowOf(states[placeOf(from)])?.meaning[property]);
    }
  }
  const sentTo = transfers.records.map(({ to }) => to).toSorted();
  const lacking =
    own === undefined
      ? []
      : given.others.flatMap(({ kind }, place) => (kind === 'MISSING' ? [names[place + 1] ?? ''] : []));
  expect(sentTo).toEqual(comparison.kind === 'MISSING_HERE' ? ['here'] : lacking.toSorted());
  for (const { held } of transfers.records)
    expect(Object.keys(Object.assign({}, ...held.map(({ json }) => json)))).toContain('id');
  for (const { property, otherUuid, chosen: side } of listPairs(compared, chosen)) {
    const taken = chosen.find((each) => each.property === property);
    const value = taken && rowOf(states[placeOf(taken.from)])?.meaning[property];
    const other = rowOf(states[placeOf(otherUuid)])?.meaning[property];
    expect(side).toBe(
      value === undefined ? null : value === own?.meaning[property] ? 'ADAPTOR' : value === other ? 'OTHER' : null,
    );
  }
};

describe('a reconciliation of random records', () => {
  it('compares and chooses as a naive reading of the specification does', () => {
    const kinds = new Set<string>();
    for (let seed = 1; seed <= casesOf(400); seed += 1) {
      const random = createRandom(seed);
      const given = randomCase(random);
      kinds.add(expectedKind(given));
      for (const policy of ['KEEP', 'ADAPTOR', 'OTHERS', 'PREFERENCES', 'LATEST'] as const) {
        try {
          check(given, policy);
        } catch (error) {
          throw new Error(`seed ${seed}, ${policy}: ${canonicalJson(given as unknown as JsonValue)}`, { cause: error });
        }
      }
    }
    expect([...kinds].toSorted()).toEqual([
      'ABSENT',
      'DIFFERING',
      'EQUAL',
      'MISSING_HERE',
      'MISSING_THERE',
      'UNREADABLE',
    ]);
  });
});

describe('values in normal form', () => {
  const hashOf = (property: string, value: JsonValue) => normalContent(model, { [property]: value })[property];

  it.each(Object.entries(spellings))('of %s are equal in each spelling, and only then', (property, lists) => {
    const hashes = lists.map((list) => new Set(list.map((value) => hashOf(property, value))));
    for (const of of hashes) expect(of.size).toBe(1);
    expect(new Set(hashes.flatMap((of) => [...of])).size).toBe(lists.length);
  });

  it('leave out what is left out: null is a value', () => {
    expect(normalContent(model, {})).toEqual({});
    expect(hashOf('note', null)).not.toBe(hashOf('note', ''));
  });
});
