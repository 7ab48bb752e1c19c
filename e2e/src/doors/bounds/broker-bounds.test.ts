import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createAdaptor } from '../../harness/catalogue.js';
import { connectWireAdaptor } from '../../harness/wire-adaptor.js';
import { setUpDoors } from '../set-up-doors.js';
import { boundHits } from './bound-hits.js';
import { residentGrowth } from './resident-growth.js';
import { untilClosed } from '../../measure/until-closed.js';

const mib = 2 ** 20;
/** CONNECT (MQTT 3.1.1, 3.1) that announces 268 435 455 bytes, the maximum of its length field. */
const hugeConnect = Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]);
const chunk = Buffer.alloc(64 * 1024);
const attackers = 4;
const offeredBytes = 64 * mib;
/** Bytes that the operating system may accept on a connection that the service does not read. */
const kernelBytes = 8 * mib;

describe('the message bus before authentication', () => {
  const { doors, leftovers } = setUpDoors({ FDS_BUS_CONNECT_SECONDS: '2', FDS_BUS_PENDING_PER_ADDRESS: '20' });

  const dial = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(doors.service.busUrl).port), '127.0.0.1');
    socket.on('error', () => undefined); // a refusal can be a reset
    leftovers.add(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };

  /** Sends until the service ends the connection. @returns the bytes that left this process */
  const floodConnect = async (): Promise<number> => {
    const socket = await dial();
    const gone = untilClosed(socket);
    socket.write(hugeConnect);
    for (let offered = 0; offered < offeredBytes && socket.writable; offered += chunk.length) {
      if (socket.write(chunk)) continue;
      await Promise.race([once(socket, 'drain').catch(() => undefined), gone]);
    }
    return socket.bytesWritten - socket.writableLength;
  };

  it('does not read a packet above the size limit', async () => {
    let sent: number[] = [];
    const grownMib = await residentGrowth(doors.service.process().pid, async () => {
      sent = await Promise.all(Array.from({ length: attackers }, floodConnect));
    });
    expect(grownMib).toBeLessThan(48);
    for (const bytes of sent) expect(bytes).toBeLessThan(kernelBytes);
    expect(await boundHits(doors.service, 'bus_packet')).toBeGreaterThanOrEqual(attackers);
  }, 120_000);

  it('serves adaptors while one address has its maximum number of unauthenticated connections', async () => {
    const adaptor = await createAdaptor(doors.dgs, doors.root, { name: 'Honest', capabilities: [] });
    const silent = await Promise.all(Array.from({ length: 20 }, dial));
    const refused = await dial();
    await untilClosed(refused);
    expect(await boundHits(doors.service, 'bus_pending_connections')).toBeGreaterThanOrEqual(1);
    // a silent connection is closed, which makes room
    await Promise.all(silent.map(untilClosed));
    expect(await boundHits(doors.service, 'bus_connect_time')).toBeGreaterThanOrEqual(20);
    const { ops } = await connectWireAdaptor(leftovers, doors.service.busUrl, adaptor);
    expect(ops.connected).toBe(true);
  }, 120_000);
});
