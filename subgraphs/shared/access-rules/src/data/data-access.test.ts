import fc from 'fast-check';
import { compileGrants } from '../permissions/compile-grants.js';
import { type Grant } from '../permissions/grant.js';
import {
  allowsAllData,
  allowsMore,
  compileDataAccess,
  maskMembers,
  rulesOfPermissions,
  type AccessRule,
  type DataAction,
  type DataHolder,
  type DataVersion,
} from '../index.js';

const any: Omit<AccessRule, 'effect'> = {
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
};
const allow = (rule: Partial<AccessRule> = {}): AccessRule => ({ ...any, ...rule, effect: 'ALLOW' });
const deny = (rule: Partial<AccessRule> = {}): AccessRule => ({ ...any, ...rule, effect: 'DENY' });

const names = ['id', 'Name', 'salary'];
const version: DataVersion = {
  uuid: 'v1',
  domainUuid: 'd1',
  zoneUuid: 'z1',
  model: { properties: names.map((name) => ({ name })) },
};
const zones = new Map([
  ['a1', 'z1'],
  ['a2', 'z2'],
  ['a3', 'z2'],
]);

const shown = (
  roles: readonly (readonly AccessRule[])[],
  at: { readonly action?: DataAction; readonly holder?: DataHolder; readonly record?: string } = {},
): string[] => [
  ...compileDataAccess(roles, zones)
    .of(at.action ?? 'GET', version)
    .at(at.holder ?? null)
    .of(at.record ?? 'r1').names,
];

describe('data access', () => {
  it.each<[string, AccessRule[], string[]]>([
    ['a property is denied, the rest stays', [deny({ properties: ['salary'] })], ['id', 'Name']],
    ['only allowed data, without a denial', [allow({ properties: ['name'] })], ['Name']],
    ['the first match decides', [allow({ properties: ['SALARY'] }), deny({ properties: ['salary'] })], names],
    ['each property is decided on its own', [deny({ properties: ['id'] }), allow()], ['Name', 'salary']],
    ['an exception for a record', [allow({ drUuids: ['R1'], properties: ['id'] }), deny()], ['id']],
    ['a rule for another record', [deny({ drUuids: ['r2'] })], names],
    ['a rule for another domain', [deny({ domainUuid: 'd2' })], names],
    ['a rule for the version', [deny({ domainVersionUuid: 'v1' })], []],
    ['a rule for another action', [deny({ actions: ['DELETE'] })], names],
    ['the zone that owns the domain', [deny({ zoneUuid: 'z1' })], []],
    ['adaptors do not have what the server has', [deny({ adaptorUuid: 'a1' })], names],
  ])('%s', (_, rules, expected) => {
    expect(shown([rules]).toSorted()).toEqual(expected.toSorted());
  });

  it('an ALLOW of any role is enough', () => {
    expect(shown([[deny()], [allow({ properties: ['id'] })]])).toEqual(['id']);
  });

  it('selects adaptors by themselves and by their zones', () => {
    const holder = (adaptorUuid: string): DataHolder => ({ adaptorUuid, zoneUuid: zones.get(adaptorUuid) ?? '' });
    const rules = [
      allow({ adaptorUuid: 'a2', properties: ['id'] }),
      deny({ zoneUuid: 'z2' }),
      deny({ adaptorUuid: 'a9' }),
    ];
    expect(shown([rules], { holder: holder('a2') })).toEqual(['id']);
    expect(shown([rules], { holder: holder('a3') })).toEqual([]);
    expect(shown([rules], { holder: holder('a1') })).toEqual(names);
  });

  it('PATCH is a change, and a rule with properties does not cover DELETE', () => {
    const rules = [deny({ actions: ['PATCH'], properties: ['salary'] }), deny({ properties: ['id'] })];
    expect(shown([rules], { action: 'PUT' })).toEqual(['Name']);
    expect(shown([rules], { action: 'GET' })).toEqual(['Name', 'salary']);
    expect(shown([rules], { action: 'DELETE' })).toEqual(names);
  });

  it('masks members that are not to be seen, also those that no model has', () => {
    const { common } = compileDataAccess([[deny({ properties: ['salary'] })]], zones).of('GET', version).own;
    expect(maskMembers({ id: 1, Name: 'x', salary: 2, other: 3 }, common)).toEqual({ id: 1, Name: 'x' });
  });

  it.each<[string, Grant[], DataAction, string, string[]]>([
    ['all of data', [{ action: 'ALL', resource: '/drs/*' }], 'DELETE', 'r1', names],
    ['reading', [{ action: 'GET', resource: '/api/drs/?' }], 'PUT', 'r1', []],
    ['changing, which is PATCH', [{ action: 'PATCH', resource: '/drs/?' }], 'PUT', 'r1', names],
    ['an action without an endpoint', [{ action: 'PUT', resource: '/drs/*' }], 'PUT', 'r1', []],
    ['no data', [{ action: 'ALL', resource: '/zones/*' }], 'GET', 'r1', []],
    [
      'one record',
      [{ action: 'GET', resource: '/drs/018f0000-0000-7000-8000-000000000001' }],
      'GET',
      '018f0000-0000-7000-8000-000000000001',
      names,
    ],
  ])('a role without rules allows what its permissions allow: %s', (_, grants, action, record, expected) => {
    expect(shown([rulesOfPermissions(grants, compileGrants(grants))], { action, record })).toEqual(expected);
  });

  it.each<[string, AccessRule[], boolean]>([
    ['everything', [allow()], true],
    ['everything, action by action', [allow({ actions: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }), deny()], true],
    ['reading', [allow({ actions: ['GET'] })], false],
    ['a zone', [allow({ zoneUuid: 'z1' })], false],
    ['everything but', [deny({ drUuids: ['r1'] }), allow()], false],
    ['no rule applies', [], false],
  ])('is told to be all of the data or not: %s', (_, rules, expected) => {
    expect(allowsAllData(rules)).toBe(expected);
  });

  it('agrees with the words of the specification, rule by rule', () => {
    const oracle = (
      roles: readonly (readonly AccessRule[])[],
      action: DataAction,
      holder: DataHolder | null,
      record: string,
      property: string,
    ): boolean =>
      roles.some((rules) => {
        for (const rule of rules) {
          if (rule.actions !== null && !rule.actions.some((each) => (each === 'PATCH' ? 'PUT' : each) === action))
            continue;
          if (action === 'DELETE' && rule.properties !== null) continue;
          if (rule.zoneUuid !== null && rule.zoneUuid !== (holder === null ? 'z1' : holder.zoneUuid)) continue;
          if (rule.adaptorUuid !== null && rule.adaptorUuid !== holder?.adaptorUuid) continue;
          if (rule.domainUuid !== null && rule.domainUuid !== 'd1') continue;
          if (rule.domainVersionUuid !== null && rule.domainVersionUuid !== 'v1') continue;
          if (
            rule.properties !== null &&
            !rule.properties.some((each) => each.toLowerCase() === property.toLowerCase())
          )
            continue;
          if (rule.drUuids !== null && !rule.drUuids.includes(record)) continue;
          return rule.effect === 'ALLOW';
        }
        return rules.at(-1)?.effect !== 'ALLOW';
      });
    const some = <Value>(...values: Value[]) => fc.option(fc.subarray(values, { minLength: 1 }));
    const one = (...values: string[]) => fc.option(fc.constantFrom(...values));
    const rule: fc.Arbitrary<AccessRule> = fc.record({
      effect: fc.constantFrom('ALLOW', 'DENY'),
      actions: some('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
      zoneUuid: one('z1', 'z2', 'z3'),
      adaptorUuid: one('a1', 'a2', 'a3'),
      domainUuid: one('d1', 'd2'),
      domainVersionUuid: one('v1', 'v2'),
      properties: some('ID', 'name', 'salary', 'none'),
      drUuids: some('r1', 'r2'),
    });
    const roles = fc.array(fc.array(rule, { maxLength: 6 }), { minLength: 1, maxLength: 3 });
    const holders: (DataHolder | null)[] = [
      null,
      ...[...zones].map(([adaptorUuid, zoneUuid]) => ({ adaptorUuid, zoneUuid })),
      { adaptorUuid: 'a4', zoneUuid: 'z2' },
      { adaptorUuid: 'a5', zoneUuid: 'z3' },
      { adaptorUuid: 'a6', zoneUuid: 'z4' },
    ];
    fc.assert(
      fc.property(roles, fc.constantFrom<DataAction[]>('GET', 'POST', 'PUT', 'DELETE'), (given, action) => {
        const access = compileDataAccess(given, zones).of(action, version);
        const decided: boolean[] = [];
        for (const holder of holders) {
          for (const record of ['r1', 'r2', 'r3']) {
            const expected = names.filter((name) => oracle(given, action, holder, record, name));
            expect([...access.at(holder).of(record).names].toSorted()).toEqual(expected.toSorted());
            decided.push(...names.map((name) => expected.includes(name)));
          }
        }
        expect(access.isWhole).toBe(decided.every(Boolean));
      }),
      { numRuns: 3000 },
    );
  });

  it.each<[string, AccessRule[], AccessRule[], boolean]>([
    ['the same', [deny({ properties: ['salary'] })], [deny({ properties: ['SALARY'] })], false],
    ['less', [deny({ properties: ['id', 'salary'] })], [deny({ properties: ['salary'] })], false],
    ['a property', [], [deny({ properties: ['salary'] })], true],
    ['a record', [deny({ drUuids: ['r2'] })], [deny({ drUuids: ['r1', 'r2'] })], true],
    ['an action', [allow({ actions: ['GET', 'PUT'] })], [allow({ actions: ['GET'] })], true],
    ['a zone', [allow({ zoneUuid: 'z1' }), allow({ zoneUuid: 'z2' })], [allow({ zoneUuid: 'z1' })], true],
    ['an adaptor of the zone', [allow({ adaptorUuid: 'a2' })], [allow({ zoneUuid: 'z2' })], false],
    ['the zone of an adaptor', [allow({ zoneUuid: 'z2' })], [allow({ adaptorUuid: 'a2' })], true],
  ])('reports whether rules allow more than others: %s', (_, wanted, granted, expected) => {
    const versions = ['z1', 'z2', 'z3'].map((zoneUuid) => ({ ...version, uuid: zoneUuid, zoneUuid }));
    const holders = [...zones, ['a8', 'z2'] as const, ['a9', 'z3'] as const].map(([adaptorUuid, zoneUuid]) => ({
      adaptorUuid,
      zoneUuid,
    }));
    const [one, other] = [compileDataAccess([wanted], zones), compileDataAccess([granted], zones)];
    expect(allowsMore(one, other, { versions, holders })).toBe(expected);
  });

  it('decides once, until the version changes', () => {
    const access = compileDataAccess([[deny({ drUuids: ['r1'], properties: ['id'] })]], zones);
    const known = access.of('GET', version);
    expect(access.of('GET', { ...version })).toBe(known);
    expect(known.own.of('r1')).toBe(known.own.of('R1'));
    expect(access.of('GET', { ...version, zoneUuid: 'z2' })).not.toBe(known);
    expect(access.of('GET', { ...version, model: { properties: [] } })).not.toBe(known);
  });
});
