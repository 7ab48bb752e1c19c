import { compileDataAccess, type AccessRule, compileGrants } from '@fds/access-rules';
import { describe, expect, it } from '@jest/globals';
import type { ChangeEvent } from './change-event.js';
import type { ChangeSubject, SubjectVersion } from './change-subject.js';
import { subjectOfChange } from './change-subject.js';
import { mayReceive, seeChange, type ChangeReceiver } from './see-change.js';

const uuid = (digit: number): string => `01920000-0000-7000-8000-00000000000${digit}`;
const [versionUuid, drUuid, adaptorUuid, northUuid, southUuid, domainUuid] = [1, 2, 3, 4, 5, 6].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

const userUuid = '00000000-0000-7000-8000-0000000000aa';
const any = {
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
} as const;
const allow = (rule: Partial<AccessRule>): AccessRule => ({ ...any, effect: 'ALLOW', ...rule });
const deny = (rule: Partial<AccessRule>): AccessRule => ({ ...any, effect: 'DENY', ...rule });

const receiver = (resources: readonly string[], ...rules: AccessRule[]): ChangeReceiver => ({
  uuid: userUuid,
  permits: compileGrants(resources.map((resource) => ({ action: 'GET', resource }))).permits,
  ...(rules.length === 0 ? {} : { dataAccess: compileDataAccess([rules], new Map([[adaptorUuid, northUuid]])) }),
});

const version = (domainType: SubjectVersion['domainType']): SubjectVersion => ({
  uuid: versionUuid,
  domainUuid,
  zoneUuid: southUuid,
  domainType,
  model: { properties: [{ name: 'id' }, { name: 'name' }, { name: 'salary' }] },
});
const stored: ChangeSubject = { version: version('SERVICE_DATA_STORE'), adaptorZoneUuid: undefined };
const federated: ChangeSubject = { version: version('FEDERATED'), adaptorZoneUuid: northUuid };
const gone: ChangeSubject = { version: undefined, adaptorZoneUuid: undefined };

const record: ChangeEvent = {
  action: 'PUT',
  resourceType: 'Dr',
  resource: `/drs/${drUuid}`,
  resourceUuid: drUuid,
  data: { uuid: drUuid, domainVersionUuid: versionUuid, drKey: { id: 1 }, json: { id: 1, name: 'Ada', salary: 5 } },
};
const reported: ChangeEvent = {
  ...record,
  actorUuid: adaptorUuid,
  data: { uuid: drUuid, domainVersionUuid: versionUuid, drKey: { id: 1 } },
};
const issue: ChangeEvent = {
  action: 'POST',
  resourceType: 'DataIssue',
  resource: `/zones/${northUuid}/issues/1`,
  resourceUuid: '1',
  zoneUuid: northUuid,
  actorUuid: adaptorUuid,
  data: {
    title: 'not valid',
    drUuid,
    adaptor: { uuid: adaptorUuid, zoneUuid: northUuid },
    domainVersion: { uuid: versionUuid, domain: { uuid: domainUuid } },
  },
};

describe('a change', () => {
  const zone: ChangeEvent = { action: 'PUT', resourceType: 'Zone', resource: `/zones/${northUuid}` };
  const version: ChangeEvent = {
    action: 'PUT',
    resourceType: 'DomainVersion',
    resource: `/domains/${domainUuid}/versions/${versionUuid}`,
    resourceUuid: versionUuid,
  };

  const registration: ChangeEvent = {
    action: 'PATCH',
    resourceType: 'Notification',
    resource: '/notifications/1',
    data: { userUuid },
  };

  it.each<[string, ChangeEvent, string[], boolean]>([
    ['a zone', zone, ['/zones/?'], true],
    ['a zone', zone, [`/zones/${southUuid}`], false],
    ['a zone', zone, [], false],
    ['a version', version, ['/domains/versions/?'], true],
    ['a version', version, ['/domains/?'], false],
    ['an internal resource', { ...zone, resourceType: 'RefusedAccess' }, ['/*'], false],
    ['a token', { ...zone, resourceType: 'Token' }, ['/*'], false],
    ['an own registration', registration, ['/notifications/*'], true],
    ['an own registration', registration, [], false],
    ['a registration of another user', { ...registration, data: { userUuid: drUuid } }, ['/notifications/*'], false],
    ['a record', record, ['/drs'], true],
    ['a record', record, [`/drs/${drUuid}`], true],
    ['a record', record, [`/drs/${versionUuid}`], false],
    ['an issue', issue, ['/drs/*'], false],
    ['an issue', issue, [`/zones/${northUuid}/adaptors/${adaptorUuid}/issues/?`], true],
  ])('of %s: %j is received with GET on %j: %s', (_, change, held, expected) => {
    expect(mayReceive(receiver(held), change, stored)).toBe(expected);
  });

  it('names the uuids to look up', () => {
    expect(subjectOfChange(zone)).toBeUndefined();
    expect(subjectOfChange(reported)).toEqual({ domainVersionUuid: versionUuid, adaptorUuid });
    expect(subjectOfChange(issue)).toEqual({ domainVersionUuid: versionUuid, adaptorUuid });
  });
});

describe('data access rules', () => {
  const all = ['/*'];

  it('leave everything to a caller without rules', () => {
    expect(seeChange(receiver(all), record, gone)).toBe(record);
  });

  it('mask the properties of a record and of its key', () => {
    const seen = seeChange(receiver(all, allow({ properties: ['name'] })), record, stored);
    expect(seen?.data).toEqual({ uuid: drUuid, domainVersionUuid: versionUuid, drKey: {}, json: { name: 'Ada' } });
    expect(record.data).toMatchObject({ json: { salary: 5 } });
  });

  it.each<[string, AccessRule[], ChangeEvent, ChangeSubject, boolean]>([
    ['hide a record', [deny({ drUuids: [drUuid] })], record, stored, false],
    ['hide a record of a version that is gone', [allow({})], record, gone, false],
    ['hide data of another zone', [allow({ zoneUuid: southUuid })], reported, federated, false],
    ['show data of the zone', [allow({ zoneUuid: northUuid })], reported, federated, true],
    ['show data of the adaptor', [allow({ adaptorUuid })], reported, federated, true],
    [
      'hide a federated record that a person changed unless it is seen everywhere',
      [allow({ zoneUuid: northUuid })],
      { ...record, actorUuid: northUuid },
      { ...federated, adaptorZoneUuid: undefined },
      false,
    ],
    ['show it where it is', [allow({})], record, { ...federated, adaptorZoneUuid: undefined }, true],
    ['hide the issue of a hidden record', [deny({ drUuids: [drUuid] })], issue, federated, false],
    ['hide the issue of an adaptor of another zone', [allow({ zoneUuid: southUuid })], issue, federated, false],
    ['show the issue of an adaptor of the zone', [allow({ zoneUuid: northUuid })], issue, federated, true],
    [
      'hide the issue of a stored record that the owner of the domain may not show',
      [allow({ zoneUuid: northUuid })],
      issue,
      { ...stored, adaptorZoneUuid: northUuid },
      false,
    ],
    [
      'show an issue that names no version',
      [deny({})],
      { ...issue, data: { adaptor: { uuid: adaptorUuid }, domainVersion: null } },
      gone,
      true,
    ],
    [
      'hide an issue when its entry does not say whether there is a version',
      [deny({})],
      { ...issue, data: { adaptor: { uuid: adaptorUuid } } },
      gone,
      false,
    ],
  ])('%s', (_, rules, change, subject, expected) => {
    expect(mayReceive(receiver(all, ...rules), change, subject)).toBe(expected);
  });

  it('do not mask what an issue says of itself', () => {
    expect(seeChange(receiver(all, allow({ properties: ['name'] })), issue, federated)).toBe(issue);
  });
});
