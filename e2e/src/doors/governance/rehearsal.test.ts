import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { expectProblem } from '../expect-problem.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';
import { nobody } from '../unique-name.js';

const domain = 'rehearsed';

interface Decision {
  readonly status: string;
  readonly action: string | null;
  readonly removedProperties: readonly string[];
}

interface Report {
  readonly examined: number;
  readonly unchanged: number;
  readonly changed: number;
  readonly differences: readonly {
    readonly dataEventUuid: string;
    readonly drUuid: string;
    readonly drKey: unknown;
    readonly destinationAdaptorUuid: string | null;
    readonly before: Decision;
    readonly after: Decision;
  }[];
  readonly byAdaptor: readonly { readonly adaptorUuid: string; readonly gains: number; readonly loses: number }[];
  readonly byProperty: readonly object[];
  readonly matching: readonly object[];
}

type NewUser = Resource & {
  readonly username: string;
  readonly userUuid: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

/** The request and the answer of the page. */
const examples = (): readonly object[] => {
  const page = readFileSync(new URL('../../../../docs/reference/rehearsal.md', import.meta.url), 'utf8');
  return [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json) as object);
};

describe('POST /zones/{zoneUuid}/acls/rehearsal', () => {
  const { doors, leftovers } = shareDoors();
  let staff: string;
  let office: string;
  let directory: string;
  let hr: string;
  let domainVersionUuid: string;
  const signIn = async ({ clientId: username, clientSecret: password }: NewUser): Promise<Door> => {
    const { service } = doors;
    return doorOf(service, await getToken({ baseUrl: service.baseUrl, username, password }));
  };
  const rehearse = (input: object, door: Door = doors.dgs, zone = staff) =>
    door.rest<Report>('POST', `/zones/${zone}/acls/rehearsal`, { events: { last: 100 }, ...input });
  const report = async (input: object, door?: Door, zone?: string): Promise<Report> =>
    requireStatus(await rehearse(input, door, zone), 200).body;
  const eventCount = async (): Promise<number> =>
    (await doors.dgs.rest<{ dataEvents: readonly object[] }>('GET', `/data-events?filters=adaptor:${hr}`)).body
      .dataEvents.length;

  beforeAll(async () => {
    const { dgs, admin, root, service } = doors;
    ({ domainVersionUuid } = await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, name: { type: 'string' }, salary: { type: 'integer' } },
      drKeyProperties: ['id'],
    }));
    const { users } = (await admin.rest<{ users: readonly NewUser[] }>('GET', `/zones/${root}/users?size=1000`)).body;
    const holders = users.flatMap(({ username, userUuid }) => (username === 'dgs' ? userUuid : []));
    const addZone = async (name: string): Promise<string> => {
      const zone = { name, parentZoneUuid: root, adminUserUuids: holders, dataStewardUserUuids: holders };
      return requireStatus(await admin.rest('POST', '/zones', zone), 201).body.uuid;
    };
    [staff, office] = [await addZone('rehearsed-staff'), await addZone('rehearsed-office')];
    const source = await createAdaptor(dgs, staff, { name: 'hr', capabilities: allActions(domain) });
    hr = source.uuid;
    directory = (await createAdaptor(dgs, office, { name: 'directory', capabilities: allActions(domain) })).uuid;
    const running = await startSourceAdaptor(leftovers, service, source, {});
    for (const json of [
      { id: 1, name: 'Ada', salary: 97_531 },
      { id: 2, name: 'Grace', salary: 97_532 },
      { id: 1, name: 'Ada', salary: 97_533 },
    ]) {
      await running.publish({ action: 'PUT', domain, version: 1, json });
    }
    await eventually(async () => expect(await eventCount()).toBe(3));
  }, 120_000);

  it('changes nothing without another chain', async () => {
    expect(await report({})).toEqual({
      examined: 3,
      unchanged: 3,
      changed: 0,
      differences: [],
      byAdaptor: [],
      byProperty: [],
      matching: [],
    });
  });

  it('answers as the example of the page', async () => {
    const [request = {}, answer = {}] = examples();
    expect(await report(request)).toMatchObject(answer);
  });

  it('removes a property, and denies the message that had nothing else to say', async () => {
    const { differences, ...counts } = await report({
      outboundAcls: [{ domainVersionUuid, properties: ['salary'], post: 'DENY', put: 'DENY' }],
    });
    expect(counts).toMatchObject({
      examined: 3,
      unchanged: 0,
      changed: 3,
      byAdaptor: [{ adaptorUuid: directory, gains: 0, loses: 1 }],
      byProperty: [{ property: 'salary', gains: 0, loses: 2 }],
    });
    const removed = { status: 'QUEUED', action: 'POST', removedProperties: ['salary'] };
    const denied = { status: 'DENIED', action: 'POST', removedProperties: ['salary'] };
    const before = { status: 'QUEUED', action: 'POST', removedProperties: [] };
    expect(differences.map((each) => [each.drKey, each.before, each.after])).toEqual([
      [{ id: 1 }, before, removed],
      [{ id: 2 }, before, removed],
      [{ id: 1 }, before, denied],
    ]);
    expect(new Set(differences.map((each) => each.destinationAdaptorUuid))).toEqual(new Set([directory]));
  });

  it('takes the inbound chain of the zone of a destination, and the operational chain', async () => {
    const inboundAcls = [{ sourceAdaptorUuid: hr, post: 'DENY' }];
    expect(await report({ inboundAcls }, doors.dgs, office)).toMatchObject({
      changed: 3,
      byAdaptor: [{ adaptorUuid: directory, gains: 0, loses: 3 }],
    });
    const operational = await report({ operationalAcls: [{ sourceAdaptorUuid: hr, post: 'DENY' }] });
    expect(operational.differences.map(({ after }) => after.status)).toEqual(['NOT_SENT', 'NOT_SENT', 'NOT_SENT']);
    expect(await report({ operationalAcls: [{ sourceAdaptorUuid: hr, delete: 'DENY' }] })).toMatchObject({
      changed: 0,
    });
  });

  it('examines the newest events, those of a time, of a version and of a source', async () => {
    const examined = async (events: object): Promise<number> => (await report({ events })).examined;
    expect(await examined({ last: 2 })).toBe(2);
    expect(await examined({ from: 0, to: Date.now() + 60_000, domainVersionUuid, adaptorUuid: hr })).toBe(3);
    expect(await examined({ from: 0, to: 1 })).toBe(0);
    expect(await examined({ last: 10_000, adaptorUuid: directory })).toBe(0);
  });

  it('writes nothing', async () => {
    const state = async (): Promise<string> =>
      (await doors.dgs.call(`/api/data-events?filters=adaptor:${hr}`)).text +
      (await doors.dgs.call(`/api/zones/${staff}/acls/metrics`)).text;
    const before = await state();
    await report({ outboundAcls: [{ post: 'DENY', put: 'DENY' }] });
    expect(await state()).toBe(before);
  });

  it('counts the properties that holders of a role would see', async () => {
    const role = requireStatus(await doors.dgs.rest('POST', `/zones/${staff}/roles`, { name: 'readers' }), 201).body;
    const rules = [{ effect: 'DENY', properties: ['salary'] }];
    expect(await report({ dataAccessRules: { roleUuid: role.uuid, rules } })).toMatchObject({
      examined: 3,
      changed: 3,
      differences: [],
      byProperty: [{ property: 'salary', gains: 0, loses: 3 }],
    });
    await doors.dgs.rest('POST', `/zones/${staff}/roles/${role.uuid}/data-access-rules`, rules);
    expect(await report({ dataAccessRules: { roleUuid: role.uuid, rules } })).toMatchObject({ changed: 0 });
    expect(await report({ dataAccessRules: { roleUuid: role.uuid, rules: [] } })).toMatchObject({
      byProperty: [{ property: 'salary', gains: 3, loses: 0 }],
    });
  });

  it.each<[string, object, string, string]>([
    [
      'an unknown adaptor',
      { outboundAcls: [{ destinationAdaptorUuid: nobody }] },
      '/outboundAcls/0/destinationAdaptorUuid',
      'UNKNOWN_REFERENCE',
    ],
    [
      'an unknown zone',
      { inboundAcls: [{}, { sourceZoneUuid: nobody }] },
      '/inboundAcls/1/sourceZoneUuid',
      'UNKNOWN_REFERENCE',
    ],
    [
      'an unknown property',
      { outboundAcls: [{ properties: ['salery'] }] },
      '/outboundAcls/0/properties/0',
      'VALIDATION_FAILED',
    ],
    [
      'an unknown version',
      { events: { last: 1, domainVersionUuid: nobody } },
      '/events/domainVersionUuid',
      'UNKNOWN_REFERENCE',
    ],
    ['an unknown source', { events: { last: 1, adaptorUuid: nobody } }, '/events/adaptorUuid', 'UNKNOWN_REFERENCE'],
    [
      'an unknown role',
      { dataAccessRules: { roleUuid: nobody, rules: [] } },
      '/dataAccessRules/roleUuid',
      'UNKNOWN_REFERENCE',
    ],
    ['no event', { events: { last: 0 } }, '/events/last', 'VALIDATION_FAILED'],
    ['too many events', { events: { last: 10_001 } }, '/events/last', 'VALIDATION_FAILED'],
    ['last and a time', { events: { last: 1, from: 0, to: 1 } }, '/events/last', 'VALIDATION_FAILED'],
    ['neither', { events: {} }, '/events/last', 'VALIDATION_FAILED'],
    ['a time that ends before it begins', { events: { from: 2, to: 1 } }, '/events/to', 'VALIDATION_FAILED'],
    ['an unknown member', { chains: [] }, '/chains', 'VALIDATION_FAILED'],
    ['an unknown effect', { inboundAcls: [{ post: 'MAYBE' }] }, '/inboundAcls/0/post', 'VALIDATION_FAILED'],
  ])('refuses %s', async (_, input, pointer, code) => {
    expectProblem(await rehearse(input), { status: 400, code, pointers: [pointer] });
  });

  describe('for a caller who may not see everything', () => {
    let clerk: Door;
    let user: NewUser;

    const grant = async (action: string, resource: string): Promise<void> => {
      const permission = { type: 'ALLOW', action, resource, holderType: 'USER', holderUuid: user.uuid };
      requireStatus(await doors.dgs.rest('POST', `/zones/${staff}/permissions`, permission), 201);
    };

    beforeAll(async () => {
      user = requireStatus(
        await doors.dgs.rest<NewUser>('POST', `/zones/${staff}/users`, {
          username: 'rehearsing-clerk',
          serviceAccount: true,
        }),
        201,
      ).body;
      const roles = `/zones/${staff}/roles`;
      const role = requireStatus(await doors.dgs.rest('POST', roles, { name: 'rehearsing clerks' }), 201).body;
      requireStatus(await doors.dgs.rest('POST', `${roles}/${role.uuid}/users`, [user.uuid]), 201);
      const rules = [{ effect: 'DENY', properties: ['salary'] }];
      requireStatus(await doors.dgs.rest('POST', `${roles}/${role.uuid}/data-access-rules`, rules), 201);
      await grant('POST', `/zones/${staff}/acls/dry-run`);
      await grant('GET', '/drs/*');
      clerk = await signIn(user);
    });

    it('shows no adaptor of another zone that the caller may not read', async () => {
      const denyAll = { outboundAcls: [{ post: 'DENY', put: 'DENY' }] };
      const { text } = await rehearse(denyAll, clerk);
      expect(text).not.toContain(directory);
      expect(await report(denyAll, clerk)).toMatchObject({ differences: [], byAdaptor: [] });
    });

    it('shows no hidden property, and not that it decided', async () => {
      await grant('GET', `/zones/${office}/adaptors/${directory}`);
      const denySalary = { outboundAcls: [{ properties: ['salary'], post: 'DENY', put: 'DENY' }] };
      const answer = await rehearse(denySalary, clerk);
      expect(requireStatus(answer, 200).body).toMatchObject({
        examined: 3,
        changed: 0,
        differences: [],
        byProperty: [],
      });
      expect(answer.text).not.toMatch(/salary|9753/);
      const denyName = { outboundAcls: [{ properties: ['name'], post: 'DENY', put: 'DENY' }] };
      const named = await rehearse(denyName, clerk);
      expect(named.text).not.toMatch(/salary|9753/);
      expect(requireStatus(named, 200).body).toMatchObject({ byProperty: [{ property: 'name', gains: 0, loses: 2 }] });
    });

    it('is refused in another zone, and without a token', async () => {
      expectProblem(await rehearse({}, clerk, office), { status: 403, code: 'FORBIDDEN' });
      expectProblem(await rehearse({}, doors.anyone), { status: 401, code: 'UNAUTHENTICATED' });
    });
  });
});
