import type { Principal } from '@fds/auth';
import { compileGrants, type Grant } from '@fds/permissions';
import { describe, expect, it } from '@jest/globals';
import { mayRegister } from './may-register.js';

const zoneUuid = '01920000-0000-7000-8000-000000000001';
const other = '01920000-0000-7000-8000-000000000002';

const holder = (...resources: string[]): Pick<Principal, 'permits' | 'zones'> => ({
  permits: compileGrants(resources.map((resource): Grant => ({ action: 'GET', resource }))).permits,
  zones: [{ zoneUuid, zoneName: 'a', zoneUserUuid: other, default: true, knowsPerson: true, roles: [], groups: [] }],
});

describe('registering for a resource', () => {
  it.each<[string, string[], boolean]>([
    [`/zones/${zoneUuid}`, [`/zones/${zoneUuid}`], true],
    [`/zones/${zoneUuid}`, [`/zones/${other}`], false],
    [`/zones/${zoneUuid}`, [], false],
    ['/zones/?', ['/zones/?'], true],
    ['/zones/?', [`/zones/${zoneUuid}`], true],
    ['/zones/?', [`/zones/${other}`], false],
    ['/zones/*', ['/zones/?/users/*'], true],
    ['/zones/*', [`/zones/${zoneUuid}/adaptors/*`], true],
    [`/zones/${zoneUuid}/*`, [`/zones/${zoneUuid}/groups/*`], true],
    [`/zones/${zoneUuid}/*`, [`/zones/${zoneUuid}`], false],
    ['/*', ['/domains/*'], true],
    ['/domains/*', ['/domains/versions/?'], true],
    ['/drs/?', ['/drs'], true],
    ['/drs/?', ['/drs/*'], true],
    ['/drs/?', ['/zones/*'], false],
    ['/nowhere/?', ['/*'], false],
  ])('%s with GET on %j: %s', (resource, held, expected) => {
    expect(mayRegister(holder(...held), resource)).toBe(expected);
  });
});
