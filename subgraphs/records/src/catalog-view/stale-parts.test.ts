import { describe, expect, it } from '@jest/globals';
import { findStale, nothingStale } from './stale-parts.js';

type Change = Parameters<typeof findStale>[0][number];

let position = 0n;
const change = (resourceType: string, resourceUuid?: string, action: Change['action'] = 'PATCH'): Change => ({
  position: (position += 1n),
  action,
  resourceType,
  ...(resourceUuid === undefined ? {} : { resourceUuid }),
});

describe('the parts of the catalog that changes make stale', () => {
  it('are the resources that the changes name, each once', () => {
    const changes = [
      change('Domain', 'd1'),
      change('DomainVersion', 'v1'),
      change('DomainVersion', 'v1'),
      change('Adaptor', 'a1'),
      change('AdaptorState', 'a2'),
    ];
    expect(findStale(changes)).toEqual({
      ...nothingStale(),
      domains: new Set(['d1']),
      versions: new Set(['v1']),
      adaptors: new Set(['a1', 'a2']),
    });
  });

  it('are all versions when a version was deleted, because a deleted version does not name its domain', () => {
    expect(findStale([change('DomainVersion', 'v1', 'DELETE')])).toEqual({ ...nothingStale(), allVersions: true });
  });

  it.each([
    ['Domain', 'allVersions'],
    ['DomainVersion', 'allVersions'],
    ['Adaptor', 'allAdaptors'],
    ['AdaptorState', 'allAdaptors'],
  ])('are all resources of its kind when a change of type %s names none', (type, part) => {
    expect(findStale([change(type)])).toEqual({ ...nothingStale(), [part]: true });
  });

  it.each([
    ['AdaptorType', 'allAdaptors'],
    ['InboundAcl', 'acls'],
    ['OutboundAcl', 'acls'],
    ['OperationalAcl', 'operational'],
  ])('are independent of the uuid in a change of type %s', (type, part) => {
    expect(findStale([change(type, 'x')])).toEqual({ ...nothingStale(), [part]: true });
  });

  it('stay stale when later changes of the page name their resources', () => {
    const { allVersions, allAdaptors } = findStale([
      change('Domain'),
      change('Domain', 'd1'),
      change('Adaptor'),
      change('Adaptor', 'a1'),
    ]);
    expect([allVersions, allAdaptors]).toEqual([true, true]);
  });

  it('are none after changes of other resources', () => {
    expect(findStale([change('DataRecord', 'r1')])).toEqual(nothingStale());
  });
});
