import type { Principal } from '@fds/auth';
import { compileGrants, type Grant } from '@fds/access-rules';
import { describe, expect, it } from '@jest/globals';
import { registrationRefusal } from './registration-refusal.js';

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
    ['/domains', ['/domains'], true],
    ['/domains', ['/domains/*'], true],
    ['/domains', ['/domains/?'], false],
    ['/zones', ['/zones/?'], false],
    ['/zones/?/adaptors', [`/zones/${zoneUuid}/adaptors`], true],
    [`/zones/${zoneUuid}/adaptors`, [`/zones/${zoneUuid}/adaptors`], true],
    [`/zones/${other}/adaptors`, [`/zones/${zoneUuid}/adaptors`], false],
    ['/api/drs', ['/drs'], true],
  ])('%s with GET on %j: %s', (resource, held, expected) => {
    expect(registrationRefusal(holder(...held), resource) === undefined).toBe(expected);
  });

  it('is refused with a true reason', () => {
    expect(registrationRefusal(holder('/*'), '/nowhere/?')).toBe('no resource that changes has the path /nowhere/?');
    expect(registrationRefusal(holder(), '/domains')).toBe('GET is not granted to you on /domains');
  });
});
