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

it('permits together what one of the grants permits alone, and nothing else', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryGrant, { maxLength: 6 }),
      fc.constantFrom(...actions),
      pathOf(['a', 'b', 'c'], 6),
      (grants, action, path) => {
        const alone = grants.some((grant) => compileGrants([grant]).permits(action, path));
        expect(compileGrants(grants).permits(action, path)).toBe(alone);
      },
    ),
    { numRuns: 1_000 },
  );
});

describe('some path of a pattern', () => {
  it.each([
    ['/zones/7/users', '/zones/?/users', true],
    ['/zones/7/users', '/zones/?/roles', false],
    ['/zones/?/users', '/zones/?/users', true],
    ['/zones/*', '/zones/?', true],
    ['/zones/*/issues', '/zones/?/adaptors/?/issues', true],
    ['/zones/7', '/zones', false],
  ])('%j has some of %j: %j', (resource, pattern, expected) => {
    expect(compileGrants([{ action: 'GET', resource }]).permitsSome('GET', pattern)).toBe(expected);
  });
});

describe('a grant is covered', () => {
  const covers = (held: readonly string[], resource: string): boolean =>
    compileGrants(held.map((each) => ({ action: 'GET' as const, resource: each }))).covers({ action: 'GET', resource });

  it.each([
    [['/zones'], '/zones', true],
    [['/zones'], '/api/zones', true],
    [['/zones/?'], '/zones/1', true],
    [['/zones/1'], '/zones/?', false],
    [['/zones/?'], '/zones/*', false],
    [['/zones/*'], '/zones/?', true],
    [['/zones/*'], '/zones', true],
    [['/zones/*'], '/zones/*', true],
    [['/zones/*'], '/*', false],
    [['/*'], '/*', true],
    [['/zones', '/zones/?', '/zones/?/*'], '/zones/*', true],
    [['/zones', '/zones/?/*'], '/zones/*', true],
    [['/zones/?/*'], '/zones/*', false],
    [['/zones/*/issues'], '/zones/?/issues', true],
    [['/zones/?/issues'], '/zones/*/issues', false],
    [['/zones/?/issues', '/zones/?/*/issues'], '/zones/*/issues', true],
    [['/zones/*/issues/*'], '/zones/1/*/issues/7', true],
    [['/a/?', '/a/?/?', '/a/*/?/?'], '/a/*/?', true],
    [['/a/?', '/a/*/?/?'], '/a/*/?', false],
    [[], '/zones', false],
  ])('%j cover %j: %j', (held, resource, expected) => {
    expect(covers(held, resource)).toBe(expected);
  });

  it('by all actions together, and never by some of them', () => {
    const some = compileGrants([
      { action: 'GET', resource: '/zones/*' },
      { action: 'POST', resource: '/zones/*' },
    ]);
    expect(some.covers({ action: 'ALL', resource: '/zones' })).toBe(false);
    const all = compileGrants(actions.map((action) => ({ action, resource: '/zones/*' })));
    expect(all.covers({ action: 'ALL', resource: '/zones/?' })).toBe(true);
  });
});

/** Every path of up to six segments. `z` stands for the segments that no grant names. */
const allPaths: readonly string[] = (() => {
  let level = [''];
  const paths = [''];
  for (let length = 1; length <= 6; length += 1) {
    level = level.flatMap((path) => ['a', 'b', 'z'].map((segment) => `${path}/${segment}`));
    paths.push(...level);
  }
  return paths;
})();

it('covers a grant when all of its paths are permitted, and no other', () => {
  const small = fc.record({
    action: fc.constant<GrantedAction>('GET'),
    resource: pathOf(['a', 'b', '?', '*'], 3),
  });
  fc.assert(
    fc.property(fc.array(small, { maxLength: 5 }), small, (held, wanted) => {
      const grants = compileGrants(held);
      const pattern = oraclePattern(wanted.resource);
      const missing = allPaths.filter((path) => pattern.test(path)).some((path) => !grants.permits('GET', path));
      expect(grants.covers(wanted)).toBe(!missing);
    }),
    { numRuns: 1_000 },
  );
});

it('has some of a pattern when one of its paths is permitted, and not otherwise', () => {
  fc.assert(
    fc.property(fc.array(arbitraryGrant, { maxLength: 4 }), pathOf(['a', 'b', '?'], 5), (held, pattern) => {
      const grants = compileGrants(held);
      const some = allPaths.some((path) => oraclePattern(pattern).test(path) && grants.permits('GET', path));
      expect(grants.permitsSome('GET', pattern)).toBe(some);
    }),
    { numRuns: 1_000 },
  );
});

it('stays quick with a thousand grants that share nothing, and with stars', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => ({ action: 'ALL' as const, resource: `/zones/${index}/*` }));
  expect(compileGrants(many).permits('GET', '/zones/999/users/7')).toBe(true);
  expect(compileGrants(many).covers({ action: 'ALL', resource: '/zones/999/*/users/*' })).toBe(true);
  expect(compileGrants(many).covers({ action: 'ALL', resource: '/zones/?' })).toBe(false);
});
