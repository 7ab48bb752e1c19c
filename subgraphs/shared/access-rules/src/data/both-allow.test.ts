import { compileGrants } from '../permissions/compile-grants.js';
import { type Grant } from '../permissions/grant.js';
import { describe, expect, it } from '@jest/globals';
import type { AccessRule, DataAction } from './access-rule.js';
import { bothAllow } from './both-allow.js';
import { compileDataAccess } from './compile-data-access.js';
import { rulesOfPermissions } from './rules-of-permissions.js';

const any = {
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
} as const;
const [zone, one, two] = [1, 2, 3].map((digit) => `00000000-0000-0000-0000-00000000000${digit}`) as [
  string,
  string,
  string,
];
const actions: readonly DataAction[] = ['GET', 'POST', 'PUT', 'DELETE'];
const version = { uuid: two, domainUuid: two, zoneUuid: zone, model: { properties: [{ name: 'a' }, { name: 'b' }] } };

/** Every action, record and property that the rules allow. */
const allowed = (rules: readonly AccessRule[]): string[] => {
  const access = compileDataAccess([rules], new Map());
  return actions.flatMap((action) =>
    [one, two].flatMap((record) =>
      [...access.of(action, version).at(null).of(record).names].map((name) => `${action} ${record} ${name}`),
    ),
  );
};

const roles: readonly (readonly AccessRule[])[] = [
  [],
  [{ ...any, effect: 'ALLOW' }],
  [{ ...any, effect: 'ALLOW', zoneUuid: zone }],
  [{ ...any, effect: 'DENY', properties: ['A'] }],
  [
    { ...any, effect: 'DENY', drUuids: [one] },
    { ...any, effect: 'ALLOW', actions: ['PATCH', 'GET'] },
  ],
  [{ ...any, effect: 'ALLOW', drUuids: [two.toUpperCase()], properties: ['b'] }],
];
const granted: readonly (readonly Grant[])[] = [
  [],
  [{ action: 'ALL', resource: '/drs/*' }],
  [{ action: 'GET', resource: '/drs' }],
  [
    { action: 'PUT', resource: '/drs/*' },
    { action: 'GET', resource: `/drs/${one}` },
  ],
  [{ action: 'ALL', resource: `/drs/${two}/*` }],
];

describe('bothAllow', () => {
  it.each(roles.flatMap((rules) => granted.map((grants) => [JSON.stringify([rules, grants]), rules, grants] as const)))(
    'allows the intersection of %s',
    (_name, rules, grants) => {
      const permitted = rulesOfPermissions(grants, compileGrants(grants));
      const byPermission = new Set(allowed(permitted));
      expect(allowed(bothAllow(rules, permitted)).toSorted()).toEqual(
        allowed(rules)
          .filter((each) => byPermission.has(each))
          .toSorted(),
      );
    },
  );
});
