import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { createVersion } from '../../harness/catalogue.js';
import { openQuerySocket } from '../graphql/query-socket.js';
import { setUpDoors } from '../set-up-doors.js';
import { boundHits } from './bound-hits.js';
import { openBareSocket, openDeafSocket, textFrame } from '../../measure/deaf-socket.js';
import { residentGrowth } from './resident-growth.js';
import { untilClosed } from '../../measure/until-closed.js';

const records = 100;
const recordBytes = 10_000;
const messages = 680;
const query = `{ dr_wide_1(size: ${records}) { data { text } } }`;

describe('websockets at /graphql', () => {
  const { doors, leftovers } = setUpDoors({
    FDS_SOCKET_UNREAD_SECONDS: '3',
    FDS_SOCKET_MAX_PER_CALLER: '10',
    FDS_SOCKET_PENDING_PER_ADDRESS: '20',
  });
  const open = (): Promise<Socket> =>
    openDeafSocket(leftovers, { baseUrl: doors.service.baseUrl, token: doors.dgs.token ?? '' });

  beforeAll(async () => {
    await createVersion(doors.dgs, {
      name: 'wide',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, text: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const text = 'x'.repeat(recordBytes);
    const rows = Array.from({ length: records }, (_, id) => ({ id, text }));
    const { status } = await doors.dgs.rest('POST', '/drs/bulk?filters=name:wide', rows);
    expect(status).toBe(200);
    await eventually(async () => {
      const { body } = await doors.dgs.graphql<{ dr_wide_1: { data: unknown[] } }>(query);
      expect(body.data?.dr_wide_1.data).toHaveLength(records);
    });
  }, 120_000);

  it('keep a few answers for a client that does not read, and then close', async () => {
    let deaf: Socket | undefined;
    const grownMib = await residentGrowth(doors.service.process().pid, async () => {
      deaf = await open();
      for (let id = 1; id <= messages; id += 1)
        deaf.write(textFrame(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } })));
      await eventually(async () => expect(await boundHits(doors.service, 'socket_unread')).toBe(1));
    });
    expect(grownMib).toBeLessThan(120);
    // a client that starts to read gets the reason
    let last = '';
    deaf?.on('data', (chunk: Buffer) => {
      last = (last + chunk.toString('latin1')).slice(-100);
    });
    if (deaf !== undefined) await untilClosed(deaf);
    expect(last).toContain('Answers are not read');
  }, 120_000);

  it('answers every query of a client that sends many at once and reads', async () => {
    const busy = await open();
    let received = '';
    busy.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    const count = 200;
    for (let id = 1; id <= count; id += 1)
      busy.write(
        textFrame(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: '{ __typename }' } })),
      );
    await eventually(() => expect(received.split('"complete"').length - 1).toBe(count));
    busy.destroy();
  });

  it('are limited for each caller separately', async () => {
    const mine = await Promise.all(Array.from({ length: 10 }, open));
    await expect(open()).rejects.toThrow('Too many sockets');
    expect(await boundHits(doors.service, 'sockets')).toBeGreaterThanOrEqual(1);
    const other = await openQuerySocket(leftovers, {
      baseUrl: doors.service.baseUrl,
      token: doors.admin.token ?? '',
      query: '{ __typename }',
    });
    expect(other.faults).toEqual([]);
    for (const socket of mine) socket.destroy();
    await eventually(open);
  });

  it('close without a sign-in, and are limited for each address until then', async () => {
    const bare = await Promise.all(Array.from({ length: 20 }, () => openBareSocket(leftovers, doors.service.baseUrl)));
    await expect(openBareSocket(leftovers, doors.service.baseUrl)).rejects.toThrow('429');
    await Promise.all(bare.map(untilClosed));
    await openBareSocket(leftovers, doors.service.baseUrl);
  });

  it('read only little from a client that has not signed in', async () => {
    const bare = await openBareSocket(leftovers, doors.service.baseUrl);
    // the head of a message of 900 000 bytes
    bare.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x0d, 0xbb, 0xa0, 0, 0, 0, 0]));
    bare.write(Buffer.alloc(200_000));
    await untilClosed(bare);
    expect(await boundHits(doors.service, 'socket_message')).toBeGreaterThanOrEqual(1);
  });
});
