import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actions, type Action, type GrantedAction } from './action.js';
import { compileGrants } from './compile-grants.js';
import type { Grant } from './grant.js';

const permits = (resource: string, path: string): boolean =>
  compileGrants([{ action: 'GET', resource }]).permits('GET', path);

describe('a grant', () => {
  it.each([
    ['/zones', '/zones', true],
    ['/zones', '/zones/', true],
    ['/zones', '/zones/1', false],
    ['/api/zones', '/zones', true],
    ['/zones', '/api/zones', true],
    ['/zones/?', '/zones/1', true],
    ['/zones/?', '/zones', false],
    ['/zones/?', '/zones/1/users', false],
    ['/zones/?/users', '/zones/1/users', true],
    ['/zones/?/users', '/zones/1/2/users', false],
    ['/zones/*', '/zones', true],
    ['/zones/*', '/zones/1', true],
    ['/zones/*', '/zones/1/users/2', true],
    ['/zones/*', '/zone', false],
    ['/*', '/', true],
    ['/*', '/anything/at/all', true],
    ['/zones/*/issues', '/zones/1/issues', true],
    ['/zones/*/issues', '/zones/1/adaptors/2/issues', true],
    ['/zones/*/issues', '/zones/issues', false],
    ['/zones/*/issues', '/zones/1/issues/2', false],
    ['/zones/*/issues/*', '/zones/1/adaptors/2/issues/3', true],
    ['/zones/*/issues/?', '/zones/1/issues/issues', true],
    ['/Zones', '/zones', false],
    ['', '/', true],
  ])('%j on %j: %j', (resource, path, expected) => {
    expect(permits(resource, path)).toBe(expected);
  });

  it('covers its own action, ALL every one', () => {
    const permitted = (action: GrantedAction): Action[] => {
      const grants = compileGrants([{ action, resource: '/zones' }]);
      return actions.filter((each) => grants.permits(each, '/zones'));
    };
    expect(permitted('PATCH')).toEqual(['PATCH']);
    expect(permitted('ALL')).toEqual([...actions]);
  });

  it('does not lend its action to another grant on the same way', () => {
    const grants = compileGrants([
      { action: 'GET', resource: '/zones/*' },
      { action: 'DELETE', resource: '/zones/?/users' },
    ]);
    expect(grants.permits('DELETE', '/zones/1')).toBe(false);
    expect(grants.permits('DELETE', '/zones/1/users')).toBe(true);
    expect(grants.permits('GET', '/zones/1/users')).toBe(true);
  });
});

it('refuses everything when nothing is granted', () => {
  expect(compileGrants([]).permits('GET', '/')).toBe(false);
});

/** The rule of decisions section 5 as a regular expression. */
const oraclePattern = (resource: string): RegExp => {
  const segments = resource.split('/').slice(1);
  const parts = segments.map((segment, index) => {
    if (segment === '?') return '/[^/]+';
    if (segment !== '*') return `/${segment}`;
    return index === segments.length - 1 ? '(/[^/]+)*' : '(/[^/]+)+';
  });
  return new RegExp(`^${parts.join('')}$`);
};

const oracle = (grants: readonly Grant[], action: Action, path: string): boolean =>
  grants.some(
    (grant) => (grant.action === 'ALL' || grant.action === action) && oraclePattern(grant.resource).test(path),
  );

const pathOf = (segment: string[], maxLength: number) =>
  fc
    .array(fc.constantFrom(...segment), { minLength: 1, maxLength })
    .map((segments) => segments.map((each) => `/${each}`).join(''));

const arbitraryGrant: fc.Arbitrary<Grant> = fc.record({
  action: fc.constantFrom<GrantedAction>('ALL', ...actions),
  resource: pathOf(['a', 'b', '?', '*'], 5),
});

it('agrees with the rule read as regular expressions', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryGrant, { maxLength: 6 }),
      fc.constantFrom(...actions),
      pathOf(['a', 'b', 'c'], 6),
      (grants, action, path) => {
        expect(compileGrants(grants).permits(action, path)).toBe(oracle(grants, action, path));
      },
    ),
    { numRuns: 2_000 },
  );
});
