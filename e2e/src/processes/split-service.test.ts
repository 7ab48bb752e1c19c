import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { join } from 'node:path';
import { createEmptyDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { startAdaptorProcess, type AdaptorProcess, type AdaptorProgram } from '../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, requireStatus, rootZone } from '../harness/catalogue.js';
import { getToken, signIn, type Client } from '../harness/client.js';
import { exchange } from '../harness/exchange.js';
import { createLeftovers } from '../harness/leftovers.js';
import { mosquittoMissing, startMosquitto, type Mosquitto } from '../harness/mosquitto.js';
import { openSubscriber } from '../doors/subscriptions/open-subscriber.js';
import { startSplitService, type SplitService } from '../harness/split-service.js';
import { openWebhookReceiver } from '../harness/webhook-receiver.js';

const events = 3_000;
const records = 5;

const readLedger = ({ dataDirectory }: AdaptorProcess): { id: string; n: number }[] => {
  const database = new Database(join(dataDirectory, 'stream.sqlite'), { readonly: true });
  try {
    return database.prepare('SELECT id, n FROM ledger ORDER BY position').all() as { id: string; n: number }[];
  } finally {
    database.close();
  }
};

const why = mosquittoMissing === undefined ? '' : ` (skipped: ${mosquittoMissing})`;

(mosquittoMissing === undefined ? describe : describe.skip)(`three processes and a broker of its own${why}`, () => {
  const leftovers = createLeftovers();
  let broker: Mosquitto;
  let service: SplitService;
  let dgs: Client;
  let zone: string;

  beforeAll(async () => {
    const database = await createEmptyDatabase();
    leftovers.add(() => database.drop());
    broker = await startMosquitto(leftovers);
    service = await startSplitService(leftovers, { databaseUrl: database.url, broker });
    dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    zone = await rootZone(dgs);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const startStream = async (name: string, program: 'source' | 'destination'): Promise<AdaptorProcess> => {
    const adaptor = await createAdaptor(dgs, zone, { name, capabilities: allActions('counter') });
    await broker.admit(adaptor.clientId, adaptor.clientSecret);
    const stream: AdaptorProgram = {
      script: `e2e/dist/programs/stream-${program}.js`,
      environment: (folder) => ({
        STREAM_DATABASE: join(folder, 'stream.sqlite'),
        STREAM_EVENTS: String(events),
        STREAM_RECORDS: String(records),
      }),
    };
    const process = await startAdaptorProcess(leftovers, service, adaptor, stream);
    await process.untilUp();
    return process;
  };

  it('are each healthy and name their checks', async () => {
    for (const { parts, url } of service.processes) {
      const { status, body } = await exchange(`${url}/health`);
      // the gateway does not communicate with adaptors
      const checks = parts === 'gateway' ? { database: 'UP' } : { database: 'UP', bus: 'UP' };
      expect([parts, status, body]).toEqual([parts, 200, { status: 'UP', checks }]);
    }
  });

  it('refuse requests without a token, in each subgraph', async () => {
    const [catalog, recordsProcess] = service.processes;
    const doors = [
      `${catalog?.url}/catalog`,
      `${catalog?.url}/governance`,
      `${recordsProcess?.url}/records`,
      `${recordsProcess?.url}/assembly`,
    ];
    for (const door of doors) {
      const answer = await exchange<{ errors: { extensions: { code: string } }[] }>(`${door}/graphql`, {
        method: 'POST',
        json: { query: '{ __typename }' },
      });
      expect([answer.status, answer.body.errors[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  it('answer a token holder within limits, and return entities to the gateway only', async () => {
    const token = await getToken({ ...service, username: 'dgs', password: service.passwords.dgs });
    const ask = async (query: string) => {
      const { status, body } = await exchange<{ errors?: { extensions: { code: string } }[] }>(
        `${service.processes[0]?.url}/catalog/graphql`,
        { method: 'POST', token, json: { query } },
      );
      return [status, body.errors?.[0]?.extensions.code];
    };
    expect(await ask('{ zones { page { page } } }')).toEqual([200, undefined]);
    const aliases = Array.from({ length: 51 }, (_, index) => `a${index}: __typename`).join(' ');
    for (const [query, code] of [
      ['{ _service { sdl } }', 'GRAPHQL_VALIDATION_FAILED'],
      ['{ _entities(representations: []) { __typename } }', 'GRAPHQL_VALIDATION_FAILED'],
      [`{ ${aliases} }`, 'QUERY_TOO_COMPLEX'],
    ] as const) {
      expect([query, (await ask(query))[1]]).toEqual([query, code]);
    }
  });

  it('send subscribers at the gateway the changes of other processes, with the fields of their subgraphs', async () => {
    const token = await getToken({ ...service, username: 'dgs', password: service.passwords.dgs });
    const received = openSubscriber(leftovers, service.baseUrl, () => token).subscribe<{
      readonly metadataEvents: { readonly adaptor: unknown };
    }>(
      'subscription { metadataEvents(events: [{ resource: "/zones/?/adaptors/?", actions: [POST] }]) { cursor adaptor { name zone { name } } } }',
    );
    let number = 0;
    await eventually(async () => {
      number += 1;
      await createAdaptor(dgs, zone, { name: `watched ${number}`, capabilities: [] });
      if (received.data.length === 0) throw new Error(`no message: ${JSON.stringify(received.errors)}`);
    });
    expect(received.data[0]?.metadataEvents.adaptor).toEqual({
      name: expect.stringMatching(/^watched/),
      zone: { name: 'Root' },
    });
    expect(received.errors).toEqual([]);
    received.stop();
  });

  it('send webhooks of notifications and of an adaptor from the processes of their parts', async () => {
    const properties = { id: { type: 'string' } };
    const drKeyProperties = ['id'];
    await createVersion(dgs, { name: 'hooked', domainType: 'SERVICE_DATA_STORE', properties, drKeyProperties });
    const [notified, routed] = [await openWebhookReceiver(leftovers), await openWebhookReceiver(leftovers)];
    const events = [{ resource: '/drs/?', actions: ['POST'] }];
    const registration = { callback: notified.url, callbackType: 'WEB_HOOK', events };
    requireStatus(await dgs.rest('PUT', '/notifications', registration), 204);
    const { adaptorTypes } = requireStatus(
      await dgs.rest<{ readonly adaptorTypes: readonly { readonly uuid: string }[] }>(
        'GET',
        '/adaptor-types?filters=name:%22Web Hook Adaptor%22',
      ),
      200,
    ).body;
    const capabilities = ['POST', 'PUT', 'DELETE'].map((action) => ({
      domainName: 'hooked',
      versionNumber: 1,
      action,
    }));
    const adaptorTypeUuid = adaptorTypes[0]?.uuid;
    const adaptor = { name: 'Hook', adaptorTypeUuid, capabilities, metadata: { url: routed.url } };
    requireStatus(await dgs.rest('POST', `/zones/${zone}/adaptors`, adaptor), 201);
    const { body: record } = requireStatus(
      await dgs.rest<{ readonly uuid: string }>('POST', '/drs', { name: 'hooked', json: { id: 'a' } }),
      201,
    );
    await eventually(() => expect([notified.received.length, routed.received.length]).toEqual([1, 1]), {
      deadlineMs: 30_000,
    });
    const message = JSON.parse(notified.received[0]?.text ?? '') as {
      readonly data: { readonly transactionUuid: string };
    };
    expect(message).toMatchObject({ action: 'POST', type: 'Dr', data: { uuid: record.uuid, json: { id: 'a' } } });
    expect(routed.received[0]?.message).toMatchObject({
      action: 'POST',
      drUuid: record.uuid,
      jsonData: '{"id":"a"}',
      transactionUuid: message.data.transactionUuid,
    });
  }, 60_000);

  it('import a file that is sent to the gateway', async () => {
    const { domainName } = await createVersion(dgs, {
      name: 'imported',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const path = `/drs/bulk?filters=name:${domainName}`;
    // larger than one part of an upload
    const file = Array.from({ length: 3000 }, (_, index) => ({
      id: 2n ** 63n - 1n - BigInt(index),
      name: 'é'.repeat(200),
    }));
    const { body } = requireStatus(await dgs.rest<Record<string, unknown>>('POST', path, file), 200);
    expect(body).toEqual({ total: 3000, created: 3000, updated: 0, unchanged: 0, failed: 0, errors: [] });
    const refused = await dgs.rest('POST', `${path}&options=atomic:true`, [{ id: 1 }, { id: 'x' }]);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      code: 'VALIDATION_FAILED',
      total: 2,
      created: 0,
      failed: 1,
      errors: [{ row: 2, pointer: '/id', code: 'INVALID_TYPE' }],
    });
  });

  it('transfer a stream from one adaptor to another while each process is killed once, and show the records at every door', async () => {
    await createVersion(dgs, {
      name: 'counter',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const readRecords = async () => {
      const { dr_counter_1: page } = await dgs.graphql<{ dr_counter_1: { data: { id: string; n: number }[] } }>(
        '{ dr_counter_1(sort: "id") { data { id n } } }',
      );
      return page.data;
    };
    // the version was created in another process than the one that adds its type to the schema
    expect(await eventually(readRecords, { deadlineMs: 5_000 })).toEqual([]);

    const destination = await startStream('Destination', 'destination');
    await startStream('Source', 'source');
    // during the stream, one process after the other
    const [catalog, routing, gateway] = service.processes;
    for (const process of [routing, catalog, gateway]) {
      const before = readLedger(destination).length;
      await eventually(() => expect(readLedger(destination).length).toBeGreaterThan(Math.min(before, events - 1)), {
        intervalMs: 5,
      });
      await process?.replace();
    }
    await eventually(() => expect(readLedger(destination)).toHaveLength(events), { deadlineMs: 60_000 });

    const expected = Array.from({ length: records }, (_, index) => ({ id: `record-${index}`, n: events / records }));
    expect(await readRecords()).toEqual(expected);
    const { body } = requireStatus(
      await dgs.rest<{ drs: { json: unknown }[] }>('GET', '/drs?filters=name:counter&size=100'),
      200,
    );
    expect(body.drs.map(({ json }) => json)).toEqual(expect.arrayContaining(expected));
    const { adaptors } = await dgs.graphql<{ adaptors: { data: { name: string; state: string }[] } }>(
      '{ adaptors(sort: "name") { data { name state } } }',
    );
    const exchanging = adaptors.data.filter(({ name }) => name === 'Destination' || name === 'Source');
    expect(exchanging.map(({ name, state }) => [name, state])).toEqual([
      ['Destination', 'STARTED'],
      ['Source', 'STARTED'],
    ]);
    const numbersOf = (id: string): number[] => readLedger(destination).flatMap((row) => (row.id === id ? row.n : []));
    for (const { id, n } of expected) expect(numbersOf(id)).toEqual(Array.from({ length: n }, (_, index) => index + 1));
  }, 180_000);

  it('refuse an adaptor whose password the broker does not know', async () => {
    const adaptor = await createAdaptor(dgs, zone, { name: 'Stranger', capabilities: allActions('counter') });
    const process = await startAdaptorProcess(leftovers, service, adaptor, {
      script: 'e2e/dist/programs/stream-destination.js',
      environment: (folder) => ({ STREAM_DATABASE: join(folder, 'stream.sqlite') }),
    });
    await eventually(() => expect(broker.output()).toMatch(/not authorised/));
    const { adaptor: read } = await dgs.graphql<{ adaptor: { state: string } }>(
      'query($z: Uuid!, $a: Uuid!) { adaptor(zoneUuid: $z, adaptorUuid: $a) { state } }',
      { z: zone, a: adaptor.uuid },
    );
    expect(read.state).toBe('DOWN');
    await process.kill();
  }, 120_000);

  it('end with code 0 on SIGTERM', async () => {
    for (const { parts, process } of service.processes.toReversed()) {
      expect([parts, await process().end('SIGTERM')]).toEqual([parts, 0]);
    }
  }, 120_000);
});
