import { beforeAll, describe, expect, it } from '@jest/globals';
import { connectAsync, type MqttClient } from 'mqtt';
import { createAdaptor, requireStatus, type CreatedAdaptor } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

interface Zone {
  readonly uuid: string;
  readonly steward: Door;
  readonly adaptor: CreatedAdaptor;
  readonly entry: Resource;
}

interface CreatedUser extends Resource {
  readonly userUuid: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

describe('the data steward and the adaptor of a zone', () => {
  const { doors, leftovers } = setUpDoors();
  let own: Zone;
  let foreign: Zone;

  const createZone = async (name: string): Promise<Zone> => {
    const { admin, root, service } = doors;
    const account = { username: `${name}-steward`, serviceAccount: true };
    const user = requireStatus(await admin.rest<CreatedUser>('POST', `/zones/${root}/users`, account), 201).body;
    const named = { name, dataStewardUserUuids: [user.userUuid] };
    const { uuid } = requireStatus(await admin.rest('POST', '/zones', named), 201).body;
    const { baseUrl } = service;
    const steward = doorOf(service, await getToken({ baseUrl, username: user.clientId, password: user.clientSecret }));
    const adaptor = await createAdaptor(steward, uuid, { name: `${name}-source`, capabilities: [] });
    const entry = requireStatus(await steward.rest('POST', `/zones/${uuid}/outbound-acls`, { get: 'DENY' }), 201).body;
    return { uuid, steward, adaptor, entry };
  };

  beforeAll(async () => {
    own = await createZone('Own');
    foreign = await createZone('Foreign');
  }, 120_000);

  it.each([
    ['GET', 'adaptors/{adaptor}', undefined],
    ['GET', 'adaptors/{adaptor}/registration', undefined],
    ['POST', 'adaptors/{adaptor}/registration', undefined],
    ['GET', 'adaptors/{adaptor}/shutdown-code', undefined],
    ['GET', 'adaptors/{adaptor}/queue', undefined],
    ['PATCH', 'adaptors/{adaptor}', { state: 'PAUSE' }],
    ['DELETE', 'adaptors/{adaptor}?force=true', undefined],
    ['PATCH', 'outbound-acls/{entry}', { active: false, changeVersion: 1 }],
    ['DELETE', 'outbound-acls/{entry}', undefined],
    ['DELETE', 'inbound-acls/{entry}', undefined],
    ['POST', 'outbound-acls/{entry}/drs', []],
  ])('reach no resource of another zone below the paths of their zone: %s %s', async (method, path, json) => {
    const named = path.replace('{adaptor}', foreign.adaptor.uuid).replace('{entry}', foreign.entry.uuid);
    const below = await own.steward.rest(method, `/zones/${own.uuid}/${named}`, json);
    expect([below.status, (below.body as { readonly code?: string }).code]).toEqual([404, 'NOT_FOUND']);
    const there = await own.steward.rest(method, `/zones/${foreign.uuid}/${named}`, json);
    expect(there.status).toBe(403);
  });

  it.each(['/drs', '/drs/*', '/*', '/?/*', '/zones/*', '/zones/*/registration'])(
    'cannot get %s from an administrator of the zone who does not have that permission',
    async (resource) => {
      const { admin, root, service } = doors;
      const { body: roles } = await admin.rest<{ readonly roles: readonly Resource[] }>(
        'GET',
        `/zones/${own.uuid}/roles`,
      );
      const administers = roles.roles.find(({ name }) => name === 'Zone Admin');
      const username = `admin-of${resource.replaceAll(/\W/g, '-')}`;
      const account = { username, serviceAccount: true, roleUuids: [administers?.uuid] };
      const user = requireStatus(await admin.rest<CreatedUser>('POST', `/zones/${own.uuid}/users`, account), 201).body;
      const { baseUrl } = service;
      const door = doorOf(service, await getToken({ baseUrl, username: user.clientId, password: user.clientSecret }));
      const grant = { action: 'ALL', resource, holderType: 'USER', holderUuid: user.uuid };
      expect((await door.rest('POST', `/zones/${own.uuid}/permissions`, grant)).status).toBe(403);
      expect((await door.rest('GET', `/zones/${root}/users`)).status).toBe(403);
    },
  );

  const connect = async (clientId: string, password: string): Promise<MqttClient> => {
    const { uuid: username } = own.adaptor;
    const options = { clientId, username, password, protocolVersion: 4, clean: true, reconnectPeriod: 0 } as const;
    const client = await connectAsync(doors.service.busUrl, options);
    client.on('error', () => undefined);
    leftovers.add(() => client.endAsync(true));
    return client;
  };

  it.each([
    '#',
    '+/+/+/+/+/+',
    '$SYS/#',
    'fds/v1/a/+/down/#',
    'fds/v1/a/{foreign}/down/#',
    'fds/v1/a/{foreign}/up/#',
    '$share/g/fds/v1/a/{foreign}/down/data',
    'fds/v1/a/{own}/up/#',
  ])('cannot subscribe to %s', async (topic) => {
    const client = await connect(`${own.adaptor.uuid}-ops`, own.adaptor.clientSecret);
    const filter = topic.replace('{foreign}', foreign.adaptor.uuid).replace('{own}', own.adaptor.uuid);
    const granted = await client.subscribeAsync(filter, { qos: 1 }).then(
      (grants) => grants.filter(({ qos }) => qos !== 128),
      () => [],
    );
    expect(granted).toEqual([]);
  });

  it.each([
    ['the client id of another adaptor', () => connect(`${foreign.adaptor.uuid}-ops`, own.adaptor.clientSecret)],
    ['another suffix', () => connect(`${own.adaptor.uuid}-other`, own.adaptor.clientSecret)],
    ['the secret of another adaptor', () => connect(`${own.adaptor.uuid}-ops`, foreign.adaptor.clientSecret)],
    ['the token of a person', () => connect(`${own.adaptor.uuid}-ops`, own.steward.token ?? '')],
  ])('cannot connect with %s', async (_, attempt) => {
    await expect(attempt()).rejects.toThrow();
  });
});
