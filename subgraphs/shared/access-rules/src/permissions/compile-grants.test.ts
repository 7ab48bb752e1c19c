import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actions, type Action, type GrantedAction } from './action.js';
import { compileGrants } from './compile-grants.js';
import { compileEndpoints } from './endpoints.js';
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

/** The rule of docs/reference/access.md#permissions as a regular expression. */
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
  const covers = (granted: readonly string[], resource: string): boolean =>
    compileGrants(granted.map((each) => ({ action: 'GET' as const, resource: each }))).covers({
      action: 'GET',
      resource,
    });

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
  ])('%j cover %j: %j', (granted, resource, expected) => {
    expect(covers(granted, resource)).toBe(expected);
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
    fc.property(fc.array(small, { maxLength: 5 }), small, (granted, wanted) => {
      const grants = compileGrants(granted);
      const pattern = oraclePattern(wanted.resource);
      const missing = allPaths.filter((path) => pattern.test(path)).some((path) => !grants.permits('GET', path));
      expect(grants.covers(wanted)).toBe(!missing);
    }),
    { numRuns: 1_000 },
  );
});

describe('a grant with wildcards is covered by the endpoints that it reaches', () => {
  const uuid = '0198c2b4-7d3e-7a11-9c55-2f6f0a1b3c4d';
  const zone = '/zones/{zoneUuid}';
  const get = (path: string) => ({ action: 'GET' as const, path });
  const endpoints = compileEndpoints([
    ...['', '/groups', '/groups/{groupUuid}', '/roles/{roleUuid}'].map((end) => get(`${zone}${end}`)),
    { action: 'POST', path: `${zone}/groups` },
    get('/zones'),
    get('/permissions/{user}'),
  ]);
  const covers = (granted: readonly string[], resource: string, action: GrantedAction = 'GET'): boolean =>
    compileGrants(
      granted.map((each) => {
        const [verb, path = ''] = each.split(' ');
        return { action: verb as GrantedAction, resource: path };
      }),
    ).coversReached({ action, resource }, endpoints);

  it.each([
    ['the one endpoint that it reaches', ['GET /zones/?/groups'], '/zones/*/groups', true],
    ['the endpoint in one zone only', [`GET /zones/${uuid}/groups`], '/zones/*/groups', false],
    ['another action', ['POST /zones/?/groups'], '/zones/*/groups', false],
    ['each of several', ['GET /zones', 'GET /zones/?', 'GET /zones/?/?', 'GET /zones/?/?/?'], '/zones/*', true],
    ['all but one of several', ['GET /zones', 'GET /zones/?', 'GET /zones/?/groups/*'], '/zones/*', false],
    ['the endpoint for the one value', [`GET /zones/${uuid}/groups`], `/*/${uuid}/groups`, true],
    ['the endpoint for another value', [`GET /zones/${uuid}/groups`], `/?/${uuid.replace('0', '1')}/groups`, false],
    ['a placeholder that takes every text', ['GET /permissions/ann'], '/?/ann', true],
    ['nothing, and it reaches nothing', [], '/zones/*/nothing', false],
    ['it whole, and it reaches nothing', ['GET /*'], '/zones/*/nothing', true],
    ['a path without wildcards only in part', ['GET /zones'], '/zones/none', false],
  ])('holding %s', (_, granted, resource, expected) => {
    expect(covers(granted, resource)).toBe(expected);
  });
  it('needs only those actions of ALL that endpoints have', () => {
    const both = ['GET /zones/?/groups', 'POST /zones/?/groups'];
    expect(covers(both, '/zones/?/groups', 'ALL')).toBe(true);
    expect(covers(both.slice(1), '/zones/?/groups', 'ALL')).toBe(false);
    expect(covers(both, '/zones/?/groups', 'DELETE')).toBe(false);
  });
  it('knows the permissions of endpoints regardless of the names of placeholders', () => {
    expect(endpoints.state(get('/zones/{uuidOfZoneUuid}/groups'))).toBe(true);
    expect(endpoints.state(get('/zones/{zone}/groups'))).toBe(false);
    expect(endpoints.state({ action: 'PUT', path: '/zones/{zoneUuid}' })).toBe(false);
  });

  /** Every path of up to four segments; `z` is a text and `known` and `other` are UUIDs, of which grants name `a` and `known`. */
  const known = uuid;
  const other = uuid.replace('0', '1');
  const reached: readonly string[] = (() => {
    let level = [''];
    const paths: string[] = [];
    for (let length = 1; length <= 4; length += 1) {
      level = level.flatMap((path) => ['a', 'z', known, other].map((segment) => `${path}/${segment}`));
      paths.push(...level);
    }
    return paths;
  })();
  const serves = (template: string, path: string): boolean => {
    const [segments, given] = [template.split('/'), path.split('/')];
    const isServed = (segment: string, at: number): boolean => {
      if (segment === '{x}') return true;
      return segment === '{xUuid}' ? [known, other].includes(given[at] ?? '') : segment === given[at];
    };
    return segments.length === given.length && segments.every(isServed);
  };

  it('exactly when every request that it opens is permitted already', () => {
    const small = fc.record({
      action: fc.constantFrom<GrantedAction>('GET', 'POST', 'ALL'),
      resource: pathOf(['a', known, '?', '*'], 4),
    });
    const endpoint = fc.record({
      action: fc.constantFrom<Action>('GET', 'POST'),
      path: pathOf(['a', '{x}', '{xUuid}'], 4),
    });
    fc.assert(
      fc.property(
        fc.array(small, { maxLength: 5 }),
        small.filter(({ resource }) => /[?*]/.test(resource)),
        fc.array(endpoint, { maxLength: 6 }),
        (granted, wanted, stated) => {
          const grants = compileGrants(granted);
          const given = oraclePattern(wanted.resource);
          const opened = stated
            .filter(({ action }) => wanted.action === 'ALL' || wanted.action === action)
            .flatMap(({ action, path }) =>
              reached.filter((each) => serves(path, each) && given.test(each)).map((each) => [action, each] as const),
            );
          const isGranted = opened.every(([action, path]) => grants.permits(action, path));
          const expected = opened.length === 0 ? grants.covers(wanted) : isGranted;
          expect(grants.coversReached(wanted, compileEndpoints(stated))).toBe(expected);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

it('has some of a pattern when one of its paths is permitted, and not otherwise', () => {
  fc.assert(
    fc.property(fc.array(arbitraryGrant, { maxLength: 4 }), pathOf(['a', 'b', '?'], 5), (granted, pattern) => {
      const grants = compileGrants(granted);
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
