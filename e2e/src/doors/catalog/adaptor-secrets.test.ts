import type { AdaptorConfiguration } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { requireStatus, type CreatedAdaptor } from '../../harness/catalogue.js';
import type { RawAnswer } from '../../harness/exchange.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { printedSecrets } from '../../harness/printed-secrets.js';
import { startService, type Service } from '../../harness/service.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { expectProblem } from '../expect-problem.js';
import { signInDoors, type Doors, type Resource } from '../open-doors.js';

const leftovers = createLeftovers();
const secrets = {
  'default of the type': 'canary-type-8Xq2',
  'listed by the type': 'canary-listed-8Xq2',
  password: 'canary-password-8Xq2',
  'new password': 'canary-renewed-8Xq2',
  'password of a refused body': 'canary-refused-8Xq2',
  'password of a JDBC URL': 'canary-jdbc-8Xq2',
  'password of a connection string': 'canary-connection-8Xq2',
};

let service: Service;
let doors: Doors;
beforeAll(async () => {
  service = await startService(leftovers, { FDS_LOG_LEVEL: 'debug' });
  doors = await signInDoors(service);
}, 120_000);
afterAll(() => leftovers.dispose(), 120_000);

/** All answers until now. */
const said: string[] = [];
const heard = <Body>(answer: RawAnswer<Body>): RawAnswer<Body> => {
  said.push(answer.text);
  return answer;
};

it('shows secrets of metadata only to the adaptor, and at no other door and in no log', async () => {
  const { dgs, admin, root } = doors;
  const type = requireStatus(
    heard(
      await dgs.rest('POST', '/adaptor-types', {
        name: 'Secretive',
        secretProperties: ['apiKey'],
        defaultMetadata: { url: 'default', 'database.password': secrets['default of the type'] },
      }),
    ),
    201,
  ).body;
  expect(type).toMatchObject({
    secretProperties: ['apiKey'],
    defaultMetadata: { url: 'default', 'database.password': '***' },
  });

  const path = `/zones/${root}/adaptors`;
  const body = { name: 'secretive', adaptorTypeUuid: type.uuid };
  const post = () =>
    dgs.call<CreatedAdaptor & Resource>(`/api${path}`, {
      method: 'POST',
      headers: { 'idempotency-key': 'secretive' },
      json: body,
    });
  const created = requireStatus(heard(await post()), 201);
  expect(heard(await post()).text).toBe(created.text);
  const { uuid } = created.body;
  expect(created.body['metadata']).toEqual(type['defaultMetadata']);

  const told: AdaptorConfiguration[] = [];
  await startSourceAdaptor(leftovers, service, created.body, { configure: (it) => void told.push(it) });
  const inherited = { url: 'default', 'database.password': secrets['default of the type'] };
  await eventually(() => expect(told.at(-1)?.metadata).toEqual(inherited));

  const own = {
    url: 'own',
    connections: [{ user: 'u', password: secrets.password }],
    apiKey: { value: secrets['listed by the type'] },
  };
  heard(await dgs.rest('PATCH', `${path}/${uuid}`, { metadata: JSON.stringify(own), changeVersion: 1 }));
  await eventually(() => expect(told.at(-1)?.metadata).toEqual(own));
  const shown = { url: 'own', connections: [{ user: 'u', password: '***' }], apiKey: '***' };
  const read = heard(await dgs.rest('GET', `${path}/${uuid}`)).body;
  expect(read['metadata']).toEqual(shown);
  const whole = { ...body, metadata: { ...shown, url: 'changed' }, changeVersion: 2 };
  expect(requireStatus(heard(await dgs.rest('PUT', `${path}/${uuid}`, whole)), 200).body['metadata']).toEqual({
    ...shown,
    url: 'changed',
  });
  await eventually(() => expect(told.at(-1)?.metadata).toEqual({ ...own, url: 'changed' }));
  const renewed = { connections: [{ user: 'u', password: secrets['new password'] }] };
  heard(await dgs.rest('PATCH', `${path}/${uuid}`, { metadata: renewed, changeVersion: 3 }));
  await eventually(() => expect(told.at(-1)?.metadata).toEqual(renewed));

  const [databaseType] = requireStatus(
    await dgs.rest<{ adaptorTypes: readonly Resource[] }>('GET', '/adaptor-types?filters=name:Database%20Adaptor'),
    200,
  ).body.adaptorTypes;
  const databases = {
    crm: { jdbcUrl: `jdbc:postgresql://db:5432/crm?user=fds&password=${secrets['password of a JDBC URL']}` },
    state: { connectionString: `mongodb://fds:${secrets['password of a connection string']}@mongo:27017/fds` },
    other: { jdbcUrl: 'jdbc:postgresql://db:5432/other' },
  };
  const table = requireStatus(
    heard(
      await dgs.rest<CreatedAdaptor & Resource>('POST', path, {
        name: 'tables',
        adaptorTypeUuid: databaseType?.uuid,
        metadata: { databases },
      }),
    ),
    201,
  ).body;
  const masked = { crm: { jdbcUrl: '***' }, state: { connectionString: '***' }, other: databases.other };
  expect(table['metadata']).toEqual({ databases: masked });
  const toldTables: AdaptorConfiguration[] = [];
  await startSourceAdaptor(leftovers, service, table, { configure: (it) => void toldTables.push(it) });
  await eventually(() => expect(toldTables.at(-1)?.metadata).toEqual({ databases }));
  const grown = { databases: masked, tables: [] };
  heard(await dgs.rest('PATCH', `${path}/${table.uuid}`, { metadata: grown, changeVersion: 1 }));
  await eventually(() => expect(toldTables.at(-1)?.metadata).toEqual({ databases, tables: [] }));

  const wrong = { password: secrets['password of a refused body'], list: [{ token: '***' }] };
  expectProblem(heard(await dgs.rest('POST', path, { name: '', metadata: wrong })), {
    status: 400,
    code: 'VALIDATION_FAILED',
    pointers: ['/name', '/metadata/list/0/token'],
  });
  const invalid = [secrets['password of a refused body']];
  expect(heard(await dgs.rest('POST', path, { name: 'x', metadata: invalid })).status).toBe(400);
  expect(heard(await dgs.rest('POST', '/adaptor-types', { name: 'x', defaultMetadata: invalid })).status).toBe(400);

  for (const door of [dgs, admin]) {
    heard(await door.rest('GET', path));
    heard(await door.rest('GET', '/adaptor-types'));
    heard(await door.rest('GET', '/change-log?size=1000'));
    heard(await door.rest('GET', `/adaptor-types/${type.uuid}`));
    heard(
      await door.graphql(
        `query($z: Uuid!, $a: Uuid!, $t: Uuid!) {
          adaptor(zoneUuid: $z, adaptorUuid: $a) { metadata adaptorType { defaultMetadata } }
          adaptors(zoneUuid: $z) { data { metadata } }
          adaptorTypes { data { defaultMetadata secretProperties } }
          adaptorType(adaptorTypeUuid: $t) { defaultMetadata }
        }`,
        { z: root, a: uuid, t: type.uuid },
      ),
    );
  }
  const seen = said.join('\n');
  // the answers contain the masks
  expect(seen).toContain('\\"database.password\\":\\"***\\"');
  expect(printedSecrets(seen, secrets)).toEqual([]);

  expect(await service.stop()).toBe(0);
  expect(printedSecrets(service.process().output(), secrets)).toEqual([]);
}, 120_000);
