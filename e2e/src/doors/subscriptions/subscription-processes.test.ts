import { createEmptyDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { startService, type Service } from '../../harness/service.js';
import { openTokenIssuer, type TokenIssuer } from '../../harness/token-issuer.js';
import { doorOf, signInDoors, type Door, type Doors } from '../open-doors.js';
import { uniqueName } from '../unique-name.js';
import { openDeafSubscriber } from './open-deaf-subscriber.js';
import { openSubscriber, type Received } from './open-subscriber.js';

interface Message {
  readonly metadataEvents: { readonly cursor: string; readonly resourceUuid: string };
}

const groups = `subscription ($after: String) {
  metadataEvents(events: [{ resource: "/zones/?/groups/?", actions: [POST] }], after: $after) { cursor resourceUuid }
}`;

const bounds = {
  FDS_SUBSCRIPTIONS_PER_CALLER: '3',
  // the limit of one client is above the limit of all clients together
  FDS_SUBSCRIPTION_MAX_UNREAD: String(64 * 2 ** 20),
  FDS_SUBSCRIPTION_MAX_UNREAD_IN_ALL: '1000000',
};

describe('subscriptions at two processes of the gateway', () => {
  const leftovers = createLeftovers();
  let databaseUrl: string;
  let issuer: TokenIssuer;
  let other: Service;
  let doors: Doors;
  let atOther: Door;

  beforeAll(async () => {
    const database = await createEmptyDatabase();
    leftovers.add(() => database.drop());
    databaseUrl = database.url;
    issuer = await openTokenIssuer(leftovers);
    const shared = {
      FDS_DATABASE_URL: databaseUrl,
      FDS_SECRET_KEY: Buffer.alloc(32, 'key of two processes').toString('base64'),
      ...issuer.settings,
      ...bounds,
    };
    doors = await signInDoors(await startService(leftovers, shared));
    other = await startService(leftovers, { ...shared, FDS_BASE_URL: doors.service.baseUrl });
    atOther = doorOf(other, doors.admin.token);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 60_000);

  const createGroup = async (door = doors.admin): Promise<string> =>
    requireStatus(await door.rest('POST', `/zones/${doors.root}/groups`, { name: uniqueName('g') }), 201).body.uuid;
  const subscribe = (baseUrl: string, token: string | undefined, after?: string): Received<Message> =>
    openSubscriber(leftovers, baseUrl, () => token).subscribe<Message>(groups, { after });
  const begin = (received: Received<Message>): Promise<void> =>
    eventually(async () => {
      await createGroup();
      if (received.data.length === 0) throw new Error(`no message: ${JSON.stringify(received.errors)}`);
    });
  const uuidsOf = ({ data }: Received<Message>): string[] =>
    data.map(({ metadataEvents: { resourceUuid } }) => resourceUuid);
  const boundHits = async (bound: string): Promise<number> => {
    const { text } = await doors.admin.call('/metrics');
    const line = text
      .split('\n')
      .find((each) => each.startsWith('fds_bounds_hit_total') && each.includes(`"${bound}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  it('continue at the other process with the cursor of the first, without loss and without repetition', async () => {
    const first = subscribe(doors.service.baseUrl, doors.admin.token);
    await begin(first);
    const known = await createGroup();
    await eventually(async () => expect(uuidsOf(first)).toContain(known));
    first.stop();
    const cursor = first.data.at(-1)?.metadataEvents.cursor;
    const missed = [await createGroup(), await createGroup(atOther), await createGroup()];
    const second = subscribe(other.baseUrl, doors.admin.token, cursor);
    // written at both processes while the other one catches up
    const later = await Promise.all(
      Array.from({ length: 20 }, (_, n) => createGroup(n % 2 === 0 ? doors.admin : atOther)),
    );
    await second.wait(missed.length + later.length);
    const last = await createGroup(atOther);
    await eventually(async () => expect(uuidsOf(second)).toContain(last));
    expect(uuidsOf(second).slice(0, missed.length)).toEqual(missed);
    expect(uuidsOf(second).toSorted()).toEqual([...missed, ...later, last].toSorted());
    const cursors = second.data.map(({ metadataEvents }) => metadataEvents.cursor);
    expect(new Set([cursor, ...cursors]).size).toBe(1 + cursors.length);
    second.stop();
  }, 60_000);

  it('end when the token expires, not earlier', async () => {
    const ssoId = uniqueName('person');
    const { body: person } = requireStatus(
      await doors.admin.rest('POST', `/zones/${doors.root}/users`, { username: ssoId, ssoId }),
      201,
    );
    const resource = `/zones/${doors.root}/groups/*`;
    const permission = { action: 'GET', resource, holderType: 'USER', holderUuid: person.uuid };
    requireStatus(await doors.admin.rest('POST', `/zones/${doors.root}/permissions`, permission), 201);
    const expiresAt = Date.now() + 8_000;
    const token = await issuer.sign(ssoId, 8);
    const subscriber = openSubscriber(leftovers, doors.service.baseUrl, () => token);
    const received = subscriber.subscribe<Message>(groups);
    await begin(received);
    expect(Date.now()).toBeLessThan(expiresAt);
    await received.end();
    // the claim has whole seconds
    expect(Date.now()).toBeGreaterThan(expiresAt - 1_100);
    expect(subscriber.closes).toEqual([{ code: 4403, reason: 'Token expired' }]);
  }, 60_000);

  it('are refused beyond the limit of a caller, on several websockets', async () => {
    const kept = [0, 1, 2].map(() => subscribe(doors.service.baseUrl, doors.admin.token));
    for (const received of kept) await begin(received);
    const refused = subscribe(doors.service.baseUrl, doors.admin.token);
    await refused.end();
    expect(refused.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect(await boundHits('subscriptions')).toBe(1);
    // the limit of another caller is independent
    const ofSteward = openSubscriber(leftovers, doors.service.baseUrl, () => doors.dgs.token).subscribe<object>(
      'subscription { adaptorStates { cursor } }',
    );
    await ofSteward.wait(1);
    for (const { stop } of [...kept, ofSteward]) stop();
  }, 60_000);

  it('close the socket of a client that does not read when all clients together leave too much unread', async () => {
    const { dgs, service } = doors;
    await createVersion(dgs, {
      name: 'large',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, text: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const query = 'subscription { dataEvents(domainName: "large") { cursor jsonData } }';
    const deaf = await openDeafSubscriber(leftovers, { baseUrl: service.baseUrl, token: dgs.token ?? '', query });
    let id = 0;
    await eventually(
      async () => {
        id += 1;
        const json = { id, text: 'x'.repeat(900_000) };
        requireStatus(await dgs.rest('POST', '/drs', { name: 'large', json }), 201);
        if ((await boundHits('subscription_unread')) === 0) throw new Error('the bound is not hit');
      },
      { deadlineMs: 60_000 },
    );
    expect(id).toBeLessThan(64);
    expect(await deaf.listen()).toMatchObject({ code: 1013 });
  }, 90_000);

  // the last test: the log of the service is cut
  it('and readers of the change log get an error when their cursor is too old', async () => {
    const { service, admin } = doors;
    const received = subscribe(service.baseUrl, admin.token);
    await begin(received);
    received.stop();
    const cursor = received.data.at(-1)?.metadataEvents.cursor ?? '';
    const { position } = requireStatus(
      await admin.rest<{ readonly changes: readonly { readonly position: number }[] }>('GET', '/change-log?size=1'),
      200,
    ).body.changes[0] ?? { position: 0 };
    await createGroup();
    await createGroup();
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    // like the retention of the change log
    await client.query(`WITH removed AS (
        DELETE FROM change_log WHERE position < (SELECT max(position) FROM change_log) RETURNING position)
      UPDATE change_log_removal SET up_to = (SELECT max(position) FROM removed)`);
    await client.end();
    const refused = subscribe(other.baseUrl, admin.token, cursor);
    await refused.end();
    expect(refused.errors).toMatchObject([
      { message: expect.stringMatching(/^\D*too old\D*$/), extensions: { code: 'UNKNOWN_CURSOR' } },
    ]);
    const following = await admin.rest('GET', `/change-log?order=OLDEST_FIRST&after=${position}`);
    expect([following.status, following.body]).toMatchObject([
      400,
      { code: 'UNKNOWN_CURSOR', errors: [{ pointer: 'after' }] },
    ]);
    requireStatus(await admin.rest('GET', '/change-log?order=OLDEST_FIRST&after=0'), 200);
  });
});
