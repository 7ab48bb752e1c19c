import fc from 'fast-check';
import { allowsMore, compileDataAccess, narrowComparison, type AccessRule, type DataKinds } from '../index.js';

type RuleLists = readonly (readonly AccessRule[])[];

const zoneOfAdaptor = new Map([
  ['a1', 'z1'],
  ['a2', 'z2'],
]);
const zoneOfDomain = new Map([
  ['d1', 'z1'],
  ['d2', 'z2'],
]);
const domainOfVersion = new Map([
  ['v1', 'd1'],
  ['v2', 'd2'],
]);

const namedIn = (
  lists: RuleLists,
  member: 'zoneUuid' | 'adaptorUuid' | 'domainUuid' | 'domainVersionUuid',
): string[] => [...new Set(lists.flatMap((rules) => rules.flatMap((rule) => rule[member] ?? [])))];

/** One of every kind of data that the lists name, and of data that they do not name. */
const kindsOf = (lists: RuleLists): DataKinds => {
  const properties = new Set(lists.flatMap((rules) => rules.flatMap((rule) => rule.properties ?? [])));
  const model = { properties: [...properties, 'other'].map((name) => ({ name })) };
  const zones = [...namedIn(lists, 'zoneUuid'), 'other'];
  const versions = namedIn(lists, 'domainVersionUuid');
  const domains = new Set([
    ...namedIn(lists, 'domainUuid'),
    ...versions.map((uuid) => domainOfVersion.get(uuid) ?? ''),
  ]);
  return {
    versions: [
      ...zones.map((zoneUuid) => ({ uuid: 'other', domainUuid: 'other', zoneUuid, model })),
      ...[...domains].flatMap((domainUuid) =>
        [...versions.filter((uuid) => domainOfVersion.get(uuid) === domainUuid), domainUuid].map((uuid) => ({
          uuid,
          domainUuid,
          zoneUuid: zoneOfDomain.get(domainUuid) ?? 'other',
          model,
        })),
      ),
    ],
    holders: [
      ...namedIn(lists, 'adaptorUuid').map((adaptorUuid) => ({
        adaptorUuid,
        zoneUuid: zoneOfAdaptor.get(adaptorUuid) ?? 'other',
      })),
      ...zones.map((zoneUuid) => ({ adaptorUuid: 'other', zoneUuid })),
    ],
  };
};

const compare = (wanted: RuleLists, granted: RuleLists, kinds: DataKinds): boolean =>
  allowsMore(compileDataAccess(wanted, zoneOfAdaptor), compileDataAccess(granted, zoneOfAdaptor), kinds);

const anyOr = <Value>(...values: readonly Value[]): fc.Arbitrary<Value | null> =>
  fc.constantFrom(null, null, ...values);
const rule: fc.Arbitrary<AccessRule> = fc.record({
  effect: fc.constantFrom('ALLOW' as const, 'ALLOW' as const, 'DENY' as const),
  actions: anyOr<AccessRule['actions']>(['GET'], ['PUT', 'DELETE']),
  zoneUuid: anyOr('z1', 'z2'),
  adaptorUuid: anyOr('a1', 'a2'),
  domainUuid: anyOr('d1', 'd2'),
  domainVersionUuid: anyOr('v1', 'v2'),
  properties: anyOr<AccessRule['properties']>(['id'], ['id', 'name']),
  drUuids: anyOr<AccessRule['drUuids']>(['r1']),
});
const denyAll: AccessRule = {
  effect: 'DENY',
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
};
const list = fc
  .tuple(fc.array(rule, { maxLength: 3 }), fc.boolean())
  .map(([rules, denies]) => (denies ? [...rules, denyAll] : rules));
const lists = fc.array(list, { maxLength: 4 });

it('gives the result of the whole comparison', () => {
  let more = 0;
  fc.assert(
    fc.property(lists, lists, lists, (own, shared, others) => {
      const [wanted, granted] = [
        [...own, ...shared],
        [...shared, ...others],
      ];
      const whole = compare(wanted, granted, kindsOf([...wanted, ...granted]));
      const narrow = narrowComparison(wanted, granted);
      if (whole) more += 1;
      expect(compare(narrow.wanted, narrow.granted, kindsOf(narrow.telling))).toBe(whole);
    }),
    { numRuns: 1000 },
  );
  expect(more).toBeGreaterThan(30);
});

it('compares the lists of a thousand zones', () => {
  const ofZone = (index: number): AccessRule[] => [
    {
      effect: 'ALLOW',
      actions: null,
      zoneUuid: `zone ${index}`,
      adaptorUuid: null,
      domainUuid: null,
      domainVersionUuid: null,
      properties: null,
      drUuids: null,
    },
    { ...denyAll, actions: ['GET'] },
    denyAll,
  ];
  const granted = Array.from({ length: 1000 }, (_, index) => ofZone(index));
  const allowed = granted.flat().filter(({ effect }) => effect === 'ALLOW');
  for (const [wanted, more] of [
    [[...granted, ofZone(1000)], true],
    [granted, false],
    [[[...allowed, denyAll]], false],
    [[[...allowed, ...ofZone(1000)]], true],
  ] as const) {
    const narrow = narrowComparison(wanted, granted);
    expect(compare(narrow.wanted, narrow.granted, kindsOf(narrow.telling))).toBe(more);
  }
});
