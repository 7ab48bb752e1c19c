import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { openCrowd } from '../../bench/load/open-crowd.js';
import { subscribingCrowd } from '../../bench/load/subscribing-crowd.js';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';
import { openDeafSubscriber } from './open-deaf-subscriber.js';
import { openSubscriber } from './open-subscriber.js';

interface Message {
  readonly metadataEvents: { readonly cursor: string; readonly resourceUuid: string };
}

const groups = `subscription ($after: String) {
  metadataEvents(events: [{ resource: "/zones/?/groups/?", actions: [POST] }], after: $after) { cursor resourceUuid }
}`;
const records = 'subscription { dataEvents(domainName: "large") { cursor jsonData } }';

describe('subscriptions at their bounds', () => {
  const { doors, leftovers } = setUpDoors({ FDS_SUBSCRIPTION_MAX_UNREAD: '65536', FDS_SUBSCRIPTIONS_PER_SOCKET: '2' });
  const createGroup = async (): Promise<string> =>
    requireStatus(await doors.admin.rest('POST', `/zones/${doors.root}/groups`, { name: uniqueName('g') }), 201).body
      .uuid;
  const boundHits = async (bound: string): Promise<number> => {
    const { text } = await doors.admin.call('/metrics');
    const line = text
      .split('\n')
      .find((each) => each.startsWith('fds_bounds_hit_total') && each.includes(`"${bound}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  it('send one event to a thousand sockets', async () => {
    const own = createLeftovers();
    const { baseUrl } = doors.service;
    const authorization = `Bearer ${doors.admin.token}`;
    const query = groups.replace('($after: String)', '').replace(', after: $after', '');
    const crowd = await openCrowd(own, subscribingCrowd({ baseUrl, authorization, query }, 999));
    await crowd.awaken(createGroup);
    for (let round = 0; round < 3; round += 1) await crowd.broadcast(createGroup);
    await own.dispose();
  }, 120_000);

  it('are refused beyond the limit of a socket', async () => {
    const subscriber = openSubscriber(leftovers, doors.service.baseUrl, () => doors.admin.token);
    const kept = [subscriber.subscribe<Message>(groups), subscriber.subscribe<Message>(groups)];
    await eventually(async () => {
      await createGroup();
      for (const { data } of kept) if (data.length === 0) throw new Error('no message yet');
    });
    const refused = subscriber.subscribe<Message>(groups);
    await refused.end();
    expect(refused.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect(await boundHits('subscriptions')).toBe(1);
    for (const { stop } of kept) stop();
  });

  it('close the socket of a client that does not read, and count it', async () => {
    const token = doors.dgs.token ?? '';
    const { baseUrl } = doors.service;
    await createVersion(doors.dgs, {
      name: 'large',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, text: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    let id = 0;
    const createRecord = async (): Promise<void> => {
      id += 1;
      const json = { id, text: 'x'.repeat(900_000) };
      requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'large', json }), 201);
    };
    const deaf = await openDeafSubscriber(leftovers, { baseUrl, token, query: records });
    await eventually(
      async () => {
        await createRecord();
        if ((await boundHits('subscription_unread')) === 0) throw new Error('the bound is not hit');
      },
      { deadlineMs: 60_000 },
    );
    expect(await deaf.listen()).toMatchObject({ code: 1013, reason: expect.stringContaining('resume') });
    // a client that resumes is served at its own speed
    const resumed = openSubscriber(leftovers, baseUrl, () => token).subscribe<{ readonly dataEvents: object }>(
      'subscription { dataEvents(domainName: "large", after: "0") { cursor jsonData } }',
    );
    await resumed.wait(id);
    resumed.stop();
  }, 120_000);

  it('resume after the service was killed, without loss and without repetition', async () => {
    const before = openSubscriber(leftovers, doors.service.baseUrl, () => doors.admin.token).subscribe<Message>(groups);
    await eventually(async () => {
      await createGroup();
      if (before.data.length === 0) throw new Error('no message yet');
    });
    const cursor = before.data.at(-1)?.metadataEvents.cursor;
    const missed = [await createGroup(), await createGroup()];
    await doors.service.kill();
    await doors.service.start();
    const later = await createGroup();
    const after = openSubscriber(leftovers, doors.service.baseUrl, () => doors.admin.token).subscribe<Message>(groups, {
      after: cursor,
    });
    const latest = await createGroup();
    const expected = [...missed, later, latest];
    await eventually(async () => {
      if (after.data.at(-1)?.metadataEvents.resourceUuid !== latest) throw new Error(JSON.stringify(after.errors));
    });
    const seen = after.data.map(({ metadataEvents }) => metadataEvents.resourceUuid);
    const last = before.data.findIndex(({ metadataEvents }) => metadataEvents.cursor === cursor);
    expect(last).toBeGreaterThanOrEqual(0);
    expect(seen.slice(-4)).toEqual(expected);
    expect(new Set(seen).size).toBe(seen.length);
  }, 120_000);
});
