import { createHash, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEmptyDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mqtt from 'mqtt';
import { createAdaptor, requireStatus, type CreatedAdaptor } from '../harness/catalogue.js';
import { getToken } from '../harness/client.js';
import { exchange } from '../harness/exchange.js';
import { createFds } from '../harness/run-fds.js';
import { createLeftovers } from '../harness/leftovers.js';
import { openWriteWatch, type WriteWatch } from '../harness/write-watch.js';
import { startSourceAdaptor } from '../harness/source-adaptor.js';
import { mutationCases } from './mutation-cases.js';
import { doorOf, openDoors, type Door, type Doors, type Resource } from './open-doors.js';
import { socketEnd } from './socket-end.js';
import { nobody } from './unique-name.js';

interface TypeReference {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: TypeReference;
}
interface Field {
  readonly name: string;
  readonly type: TypeReference;
}
interface Introspected {
  readonly __schema: {
    readonly mutationType: { readonly fields: readonly Field[] };
    readonly types: readonly { readonly name: string; readonly fields: readonly Field[] | null }[];
  };
}

const reference = 'kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';
const introspection = `{ __schema {
  mutationType { fields { name type { ${reference} } } }
  types { name fields { name type { ${reference} } } } } }`;

/** Members of an answer that contain its resource. */
const holders = ['user', 'adaptor', 'domainVersion', 'data'];

/**
 * Tables without a resource of the API: sessions and keys, remembered requests, unfinished uploads, figures, and the
 * work of the relay and of the notification sender, which follows from logged changes.
 */
const noResources = new Set([
  'adaptor_shutdown_code',
  // computed from the log
  'change_log_page',
  'idempotent_request',
  'notification_attempt',
  'notification_cursor',
  'notification_message',
  'notification_receiver',
  'oidc_artifact',
  'record_upload',
  'record_upload_part',
  'relay_lease',
  // its process renews the row each second
  'server_process',
  'configuration_plan',
  // their progress: the start and the end of a job are logged
  'reconciliation',
  'redelivery',
]);

describe('the change log', () => {
  const leftovers = createLeftovers();
  const kept = new Map<string, { readonly uuid: string; readonly changeVersion?: number }>();
  const actors = new Map<string, string>();
  let doors: Doors;
  let databaseUrl: string;
  let watch: WriteWatch;
  let fields: readonly Field[];
  let fieldsOf: ReadonlyMap<string, readonly Field[]>;

  const namedType = ({ name, ofType }: TypeReference): string =>
    ofType === undefined || ofType === null ? (name ?? '') : namedType(ofType);

  /** The selection that identifies the resource of an answer. */
  const selectionOf = (typeName: string): string => {
    const own = fieldsOf.get(typeName);
    if (own === undefined) return '';
    const names = own.map(({ name }) => name);
    const told = ['uuid', 'code', 'planUuid', 'changeVersion'].filter((name) => names.includes(name));
    const inner = own.filter(({ name }) => holders.includes(name));
    if (told.length === 0 && inner.length === 0) return '{ __typename }';
    const nested = names.includes('uuid')
      ? []
      : inner.map(({ name, type }) => `${name} ${selectionOf(namedType(type))}`);
    return `{ ${[...told, ...nested].join(' ')} }`;
  };

  const findResource = (value: unknown): Resource | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    if ('uuid' in value) return value as Resource;
    if ('planUuid' in value) return { uuid: String(value.planUuid), name: '', changeVersion: 1 };
    if ('code' in value) return { uuid: String(value.code), name: '', changeVersion: 1 };
    for (const member of Object.values(value)) {
      const found = findResource(member);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  /** Arguments with the kept values. A caller without permission needs no existing resource. */
  const fill = (args: string): string =>
    args.replaceAll(/\$(\w+)(\.version)?/g, (_, name: string, version?: string) =>
      version === undefined ? `"${kept.get(name)?.uuid ?? nobody}"` : String(kept.get(name)?.changeVersion ?? 1),
    );

  const run = (door: Door, { name, type }: Field, args: string) =>
    door.graphql<Readonly<Record<string, unknown>>>(
      `mutation { ${name}(${fill(args)}) ${selectionOf(namedType(type))} }`,
    );

  /** Causes an issue of an adaptor that is then removed. */
  const raiseIssue = async (): Promise<Resource> => {
    const { dgs, root, service } = doors;
    const own = await createAdaptor(dgs, root, { name: 'Faulty', capabilities: [] });
    const source = await startSourceAdaptor(leftovers, service, own, { apply: () => undefined });
    await source.publish({ action: 'POST', domain: 'nowhere', version: 1, json: { id: 'a' } });
    const issue = await eventually(async () => {
      const { body } = await dgs.rest<{ readonly issues: readonly Resource[] }>('GET', `/zones/${root}/issues`);
      const [first] = body.issues;
      if (first === undefined) throw new Error('there is no issue yet');
      return first;
    });
    await source.stop();
    await eventually(async () => {
      expect((await dgs.rest('GET', `/zones/${root}/adaptors/${own.uuid}`)).body['state']).toBe('DOWN');
    });
    return issue;
  };

  beforeAll(async () => {
    const database = await createEmptyDatabase();
    leftovers.add(() => database.drop());
    databaseUrl = database.url;
    doors = await openDoors(leftovers, { FDS_DATABASE_URL: database.url, FDS_CHANGE_LOG_PROOF_SECONDS: '1' });
    const { admin, dgs, root } = doors;
    const { body } = await admin.graphql<Introspected>(introspection);
    fields = body.data?.__schema.mutationType.fields ?? [];
    fieldsOf = new Map(
      body.data?.__schema.types.flatMap((type) => (type.fields === null ? [] : [[type.name, type.fields]])),
    );
    kept.set('root', { uuid: root });
    for (const [name, door] of Object.entries({ admin, dgs })) {
      actors.set(name, String((await door.rest('GET', '/token')).body['sub']));
    }
    const spare = await dgs.graphql<{ addUploadPart: Resource }>(
      'mutation { addUploadPart(number: 0, content: "") { uuid } }',
    );
    kept.set('spare', { uuid: String(spare.body.data?.addUploadPart.uuid) });
    kept.set('issue', await raiseIssue());
    watch = await openWriteWatch(database.url);
    leftovers.add(() => watch.close());
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it('has a case for every mutation of the schema', () => {
    expect(fields.map(({ name }) => name).toSorted()).toEqual([...mutationCases.keys()].toSorted());
  });

  it.each([...mutationCases])('has an entry of %s', async (name, { by, args, logs, keep }) => {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) throw new Error(`there is no mutation ${name}`);
    const { body } = await run(doors[by], field, args);
    expect(body.errors).toBeUndefined();
    const resource = findResource(body.data);
    if (keep !== undefined && resource !== undefined) kept.set(keep, resource);
    // those of the client of the test come a second after it got its token
    const entries = (await watch.takeEntries()).filter(({ type }) => type !== 'SignIn');
    const told = entries.map(({ action, type, actorUuid }) => `${action} ${type} by ${actorUuid}`);
    if (logs === undefined) expect(told).toEqual([]);
    else expect(told).toContain(`${logs} by ${actors.get(by)}`);
    if (name === 'createDomainVersion') await keepProperty();
    if (name === 'putNotification') await keepRegistration();
    if (name === 'startAdaptorRedelivery') await holdRedelivery();
  });

  // without the secret: showing it for the first time writes to the table, but is not a change of the registration
  const keepRegistration = async (): Promise<void> => {
    const { body } = await doors.admin.graphql<{
      readonly notifications: { readonly data: readonly { readonly notificationId: string }[] };
    }>('{ notifications { data { notificationId } } }');
    const registration = String(body.data?.notifications.data[0]?.notificationId);
    kept.set('registration', { uuid: registration });
    const message = randomUUID();
    await queueMessage(registration, message);
    kept.set('message', { uuid: message });
  };

  /** A redelivery that runs until it is cancelled: another process works on it. */
  const holdRedelivery = async (): Promise<void> => {
    const { uuid } = kept.get('redelivery') ?? { uuid: '' };
    const held = randomUUID();
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      `INSERT INTO redelivery (uuid, zone_uuid, adaptor_uuid, last_record_uuid, owner, owned_until)
       SELECT $2, zone_uuid, adaptor_uuid, last_record_uuid, $2, now() + interval '1 hour' FROM redelivery WHERE uuid = $1`,
      [uuid, held],
    );
    await client.end();
    kept.set('redelivery', { uuid: held });
  };

  /** A message that waits for its next attempt. */
  const queueMessage = async (registration: string, message: string): Promise<void> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      `UPDATE notification_receiver SET queued_messages = 1, next_attempt = now() + interval '1 hour'
       WHERE registration_uuid = $1`,
      [registration],
    );
    await client.query(
      `INSERT INTO notification_message (uuid, registration_uuid, position, bytes, status, date_created)
       SELECT $2, $1, max(position), 0, 'QUEUED', now() FROM change_log`,
      [registration, message],
    );
    await client.end();
  };

  /** Keeps a property of the version, and the current state of the domain, which its version has changed. */
  const keepProperty = async (): Promise<void> => {
    const { dgs } = doors;
    const properties = `/domains/versions/${kept.get('version')?.uuid}/properties`;
    const { body } = requireStatus(
      await dgs.rest<{ readonly properties: readonly Resource[] }>('GET', properties),
      200,
    );
    kept.set('property', { uuid: String(body.properties[0]?.uuid) });
    const domain = requireStatus(await dgs.rest('GET', `/domains/${kept.get('domain')?.uuid}`), 200).body;
    kept.set('domain', domain);
  };

  it('has an entry in the transaction of every change, and in no other transaction', async () => {
    const unlogged = await watch.tablesWrittenUnlogged();
    // an unfinished upload shows that the watch detects writes without a log entry
    expect(unlogged).toContain('record_upload');
    expect(unlogged.filter((table) => !noResources.has(table))).toEqual([]);
  });

  describe('for refused requests', () => {
    let adaptor: Door;
    let own: CreatedAdaptor;

    /** Waits until the entries written since contain all expected ones. */
    const untilToldOf = async (expected: readonly string[]): Promise<void> => {
      const told = new Set<string>();
      await eventually(async () => {
        for (const { type, resource, actorUuid, data } of await watch.takeEntries()) {
          if (type === 'RefusedAccess')
            told.add(
              `${String(data['action'])} ${resource} ${String(data['code'])} ${actorUuid} ${String(data['detail'])}`,
            );
        }
        expect([...told]).toEqual(expect.arrayContaining([...expected]));
      });
    };

    beforeAll(async () => {
      const { dgs, root, service } = doors;
      own = await createAdaptor(dgs, root, { name: 'Nosy', capabilities: [] });
      const { baseUrl } = service;
      adaptor = doorOf(service, await getToken({ baseUrl, username: own.clientId, password: own.clientSecret }));
      await watch.takeEntries();
    });

    it('has an entry of every mutation, with the caller and the purpose', async () => {
      const expected: string[] = [];
      for (const field of fields) {
        const { body } = await run(adaptor, field, mutationCases.get(field.name)?.args ?? '');
        const [error] = body.errors ?? [];
        expect([field.name, error?.extensions.code]).toEqual([field.name, 'FORBIDDEN']);
        expected.push(`POST /graphql FORBIDDEN ${own.uuid} ${error?.message}`);
      }
      expect(new Set(expected).size).toBeGreaterThan(fields.length * 0.8);
      await untilToldOf(expected);
    }, 120_000);

    it('has an entry for every door, and for unknown doors', async () => {
      const { anyone, service } = doors;
      const { assemblyUrl, baseUrl, busUrl } = service;
      const nobodyAtAll = 'the request carries no bearer token';
      const request = { method: 'POST', json: { domain: 'nowhere' } };
      const basic = Buffer.from(`${own.clientId}:wrong`).toString('base64');
      const statuses = [
        await adaptor.rest('GET', `/zones/${nobody}/users`),
        await anyone.rest('GET', '/zones'),
        await anyone.graphql('{ __typename }'),
        await exchange(`${assemblyUrl}/request`, { ...request, token: adaptor.token ?? '' }),
        await exchange(`${assemblyUrl}/request`, request),
        await exchange(`${baseUrl}/oauth2/token`, {
          method: 'POST',
          headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
          text: 'grant_type=client_credentials',
        }),
      ].map(({ status }) => status);
      expect(statuses).toEqual([403, 401, 401, 403, 401, 401]);
      await expect(socketEnd(baseUrl, 'garbage')).resolves.toBe(4401);
      const connecting = mqtt.connectAsync(busUrl.replace('tcp:', 'mqtt:'), {
        username: own.uuid,
        password: doors.dgs.token ?? '',
        reconnectPeriod: 0,
      });
      await expect(connecting).rejects.toThrow();
      await untilToldOf([
        `GET /zones/${nobody}/users FORBIDDEN ${own.uuid} GET /zones/${nobody}/users is not granted to you`,
        `GET /zones UNAUTHENTICATED null ${nobodyAtAll}`,
        `POST /graphql UNAUTHENTICATED null ${nobodyAtAll}`,
        `POST /request FORBIDDEN ${own.uuid} GET /drs is not granted to you`,
        `POST /request UNAUTHENTICATED null ${nobodyAtAll}`,
        `POST /oauth2 UNAUTHENTICATED ${own.uuid} a wrong secret was given`,
        'CONNECT /graphql UNAUTHENTICATED null the token is malformed',
        `CONNECT /bus UNAUTHENTICATED ${actors.get('dgs')} no valid token of this adaptor`,
      ]);
    }, 120_000);
  });

  describe('read over REST', () => {
    interface Shown {
      readonly changes: readonly {
        readonly position: number;
        readonly type: string;
        readonly zoneUuid: string | null;
      }[];
      readonly cursor: number;
      readonly more: boolean;
    }

    const follow = async (door: Door, path: string): Promise<Shown['changes']> => {
      const all: Shown['changes'][number][] = [];
      for (let [after, more] = [0, true]; more;) {
        const { status, body } = await door.rest('GET', `${path}after=${after}&order=OLDEST_FIRST&size=1000`);
        expect(status).toBe(200);
        const shown = body as unknown as Shown;
        all.push(...shown.changes);
        ({ cursor: after, more } = shown);
      }
      return all;
    };

    it('shows what happened in order, without records', async () => {
      const shown = await follow(doors.admin, '/change-log?');
      const types = new Set(shown.map(({ type }) => type));
      for (const type of ['Zone', 'User', 'Role', 'Adaptor', 'DomainVersion', 'RefusedAccess'])
        expect(types).toContain(type);
      expect(types).not.toContain('Dr');
      const positions = shown.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
    });

    it('shows successful sign-ins and issued tokens of persons and adaptors', async () => {
      const { body } = await doors.admin.rest('GET', '/change-log?filters=type:SignIn&size=1000');
      const { changes } = body as unknown as {
        readonly changes: readonly {
          readonly actorUuid: string;
          readonly resource: string;
          readonly data: Readonly<Record<string, unknown>>;
        }[];
      };
      const told = changes.map(
        ({ actorUuid, resource, data }) =>
          `${actorUuid} ${resource} ${String(data['way'])} ${String(data['clientId'])}`,
      );
      expect(told).toContain(`${actors.get('admin')} /oauth2/token CLIENT_CREDENTIALS admin`);
      // the adaptor that raised the issue
      const bus = changes.find(({ resource }) => resource === '/bus');
      expect(bus).toMatchObject({ actorUuid: expect.any(String), data: { way: 'BUS', address: '127.0.0.1' } });
    });

    it('shows the entries of a zone to that zone', async () => {
      const { admin, root } = doors;
      const shown = await follow(admin, `/zones/${root}/change-log?filters=type:User:Role:RefusedAccess&`);
      expect(shown.length).toBeGreaterThan(0);
      expect(new Set(shown.map(({ zoneUuid }) => zoneUuid))).toEqual(new Set([root]));
      expect((await admin.rest('GET', `/zones/${nobody}/change-log`)).status).toBe(404);
    });

    it('refuses an unreadable filter and names its place', async () => {
      const { status, body } = await doors.admin.rest('GET', '/change-log?after=-1&size=0');
      expect(status).toBe(400);
      const { errors } = body as unknown as { readonly errors: readonly { readonly pointer: string }[] };
      expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['after', 'size']);
    });
  });

  describe('read by an auditor', () => {
    interface Proof {
      readonly intact: boolean;
      readonly pages: readonly {
        readonly page: number;
        readonly lastPosition: number;
        readonly state: string;
        readonly faults: readonly object[];
        readonly digests: readonly { readonly position: number; readonly digest: string }[];
      }[];
    }

    const proof = async (door = doors.admin): Promise<Proof> => {
      const { status, body } = await door.rest('GET', '/change-log/proof?size=100');
      expect(status).toBe(200);
      return body as unknown as Proof;
    };
    const exportOf = (door: Door, path: string) =>
      door.call(`/api${path}`, { headers: { accept: 'application/x-ndjson' } });
    const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
    const positionOf = (line: string): number => (JSON.parse(line) as { readonly position: number }).position;

    /** Waits until pages cover a position. */
    const covered = (position: number): Promise<Proof> =>
      eventually(async () => {
        const found = await proof();
        expect(found.pages.at(-1)?.lastPosition).toBeGreaterThanOrEqual(position);
        return found;
      });

    it('has a digest of each line of the export, and of entries that the caller may not see', async () => {
      const { status, headers, text } = await exportOf(doors.admin, '/change-log?order=OLDEST_FIRST');
      expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
      const lines = linesOf(text);
      const positions = lines.map(positionOf);
      expect(positions).toEqual([...new Set(positions)].toSorted((one, other) => one - other));
      const { intact, pages } = await covered(positions.at(-1) ?? 0);
      expect(intact).toBe(true);
      const digests = new Map(pages.flatMap((page) => page.digests.map(({ position, digest }) => [position, digest])));
      for (const line of lines)
        expect(digests.get(positionOf(line))).toBe(createHash('sha256').update(line).digest('hex'));
      // the entries of records are hidden from Root Admin, and proven nevertheless
      expect(text).not.toContain('"type":"Dr"');
      expect(digests.size).toBeGreaterThan(lines.length);
    });

    it('continues behind a position, and takes filters and a size', async () => {
      const { text } = await exportOf(doors.admin, '/change-log?order=OLDEST_FIRST');
      const lines = linesOf(text);
      const after = positionOf(lines[9] ?? '');
      const rest = await exportOf(doors.admin, `/change-log?order=OLDEST_FIRST&after=${after}`);
      expect(linesOf(rest.text).slice(0, lines.length - 10)).toEqual(lines.slice(10));
      const few = await exportOf(doors.admin, '/change-log?filters=type:Zone:SignIn&size=3');
      expect(linesOf(few.text)).toHaveLength(3);
      for (const line of linesOf(few.text)) expect(line).toMatch(/"type":"(?:Zone|SignIn)"/);
    });

    it('is open to Root Admin only, and the export of a zone to its administrators', async () => {
      const { admin, dgs, root } = doors;
      expect((await dgs.rest('GET', '/change-log/proof')).status).toBe(403);
      expect((await exportOf(dgs, '/change-log')).status).toBe(403);
      expect((await exportOf(dgs, `/zones/${root}/change-log`)).status).toBe(403);
      const { text } = await exportOf(admin, `/zones/${root}/change-log?size=1000`);
      expect(new Set(linesOf(text).map((line) => (JSON.parse(line) as { zoneUuid: string }).zoneUuid))).toEqual(
        new Set([root]),
      );
    });

    it('refuses a wrong question before it sends a line', async () => {
      const wrong = await exportOf(doors.admin, '/change-log?size=0&filters=resource:/a*b&fields=position');
      expect([wrong.status, wrong.headers['content-type']]).toEqual([400, 'application/problem+json; charset=utf-8']);
      const { status, body } = await doors.admin.rest('GET', '/change-log/proof?after=-1&size=101');
      expect(status).toBe(400);
      const { errors } = body as unknown as { readonly errors: readonly { readonly pointer: string }[] };
      expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['after', 'size']);
    });

    it('is verified by the command line with files alone, until the database is changed', async () => {
      const fds = createFds(leftovers);
      const { baseUrl, passwords } = doors.service;
      const login = ['login', '--url', baseUrl, '--client-id', 'admin', '--client-secret-stdin'];
      expect(await fds.runWith(passwords.admin, ...login)).toMatchObject({ status: 0 });
      const exported = await fds.run('audit', 'export', '-o', 'log.jsonl', '--type', 'Zone', '--type', 'Role');
      expect(exported).toMatchObject({ status: 0, stdout: '' });
      const saved = await fds.run('audit', 'proof', '-o', 'proof.jsonl');
      expect(saved.stderr).toMatch(/--head \d+:[0-9a-f]{64}/);
      const [, head = ''] = /--head (\S+)/.exec(saved.stderr) ?? [];
      const verify = ['audit', 'verify', 'log.jsonl', '--proof', 'proof.jsonl', '--head', head];
      expect(await fds.run(...verify, '--json')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('"intact": true'),
      });
      // a line of the file is changed
      const log = join(fds.home, 'log.jsonl');
      const text = await readFile(log, 'utf8');
      const changedAt = positionOf(linesOf(text)[0] ?? '');
      await writeFile(log, text.replace('"name":"', '"name":"not '));
      const noticed = await fds.run(...verify);
      expect(noticed).toMatchObject({ status: 1, stdout: expect.stringContaining(`CHANGED position ${changedAt}`) });
      // an entry of the database is changed
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query('UPDATE change_log SET actor_uuid = $2 WHERE position = $1', [changedAt, randomUUID()]);
      await client.end();
      const online = await fds.run('audit', 'verify', '--head', head);
      expect(online).toMatchObject({ status: 1, stdout: expect.stringContaining(`CHANGED position ${changedAt}`) });
      expect((await proof()).intact).toBe(false);
      const lastHead = `1:${'0'.repeat(64)}`;
      expect(await fds.run('audit', 'verify', '--proof', 'proof.jsonl', '--head', lastHead)).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('page 1: HEAD'),
      });
      expect(await fds.run('audit', 'verify', 'nowhere.jsonl')).toMatchObject({ status: 2 });
    });
  });
});
