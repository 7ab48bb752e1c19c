import { describe, expect, it } from '@jest/globals';
import type { Principal } from '@fds/auth';
import { compileGrants } from '@fds/access-rules';
import type { GraphQLResolveInfo } from 'graphql';
import { guarded } from './guarded.js';
import type { RequestContext } from './request-context.js';

const contextWith = (...resources: string[]): RequestContext => {
  const grants = compileGrants(resources.map((resource) => ({ action: 'GET' as const, resource })));
  const principal: Principal = {
    kind: 'PERSON',
    uuid: 'u',
    username: 'u',
    zones: [],
    defaultZoneUuid: undefined,
    permits: grants.permits,
  };
  return { principal, requestId: 'r' };
};

const field = guarded<{ zoneUuid?: string }>(
  { mode: 'require', action: 'GET', resource: '/zones/{zoneUuid}/adaptors' },
  () => 'shown',
);
const ask = (args: { zoneUuid?: string }, context: RequestContext): unknown =>
  field(undefined, args, context, {} as GraphQLResolveInfo);

describe('guarded', () => {
  it('lets through what is granted on the filled path', () => {
    expect(ask({ zoneUuid: 'a' }, contextWith('/zones/a/adaptors'))).toBe('shown');
    expect(ask({ zoneUuid: 'a' }, contextWith('/zones/?/adaptors'))).toBe('shown');
  });
  it('refuses a caller without the permission, and names the permission', () => {
    expect(() => ask({ zoneUuid: 'b' }, contextWith('/zones/a/adaptors'))).toThrow('GET /zones/b/adaptors');
  });
  it('is not fooled by an argument that looks like a path', () => {
    expect(() => ask({ zoneUuid: 'a/adaptors/../b' }, contextWith('/zones/a/adaptors'))).toThrow('not granted');
  });
  it('carries its access, for the test that enumerates the schema', () => {
    expect(field.access).toEqual({ mode: 'require', action: 'GET', resource: '/zones/{zoneUuid}/adaptors' });
  });
});
