import { describe, expect, it } from '@jest/globals';
import {
  type Ack,
  type EventMessage,
  eventWindow,
  maxUnacknowledgedBytes,
  maxPayloadBytes,
} from '@fds/adaptor-protocol';
import { createDeferred } from '../deferred.js';
import { createIncoming } from './incoming.js';
import { createKeyedTaskPool } from './create-keyed-task-pool.js';

const epoch = '0199d0a0-0000-7000-8000-0000000000ee';
const uuid = '0199d0a0-0000-7000-8000-000000000001';
const message = (sequence: number): EventMessage<'down/data'> => ({
  id: String(sequence),
  source: '/server',
  type: 'fds.data.v1',
  time: '2026-11-21T10:00:00Z',
  epoch,
  sequence,
  data: {
    action: 'PUT',
    drUuid: uuid,
    domain: 'customer',
    version: 1,
    domainVersionUuid: uuid,
    sourceAdaptorUuid: null,
    destinationAdaptorUuid: uuid,
    transactionUuid: uuid,
    createTime: 0,
    drKey: '[]',
    jsonData: '{}',
    messageGroup: uuid,
  },
});

/** A receiving end whose first event does not finish before `release`. */
const openBlocked = () => {
  const first = createDeferred();
  const done = createDeferred();
  const acks: Ack[] = [];
  let applied = 0;
  let hellos = 0;
  let last = Infinity;
  const incoming = createIncoming({
    journal: {
      incoming: () => ({ epoch, sequence: 0, settled: 0 }),
      waiting: { list: () => [], read: () => undefined },
    },
    tasks: createKeyedTaskPool(1),
    apply: async () => {
      await first.promise;
      applied += 1;
      return { reports: [] };
    },
    store: () => undefined,
    acknowledge: (ack) => {
      acks.push(ack);
      if (ack.upto >= last) done.resolve();
    },
    sayHello: () => {
      hellos += 1;
    },
    onStored: () => undefined,
    onWaiting: () => undefined,
    onFault: () => undefined,
    onOver: () => undefined,
    onFull: () => undefined,
    limits: { maxWaiting: 10_000, maxWaitingBytes: 2 ** 30 },
    maxTurns: 2,
    nowMs: () => performance.now(),
  });
  incoming.open();
  return {
    incoming,
    hellos: () => hellos,
    /** Resolves with the number of applied events when the events up to `upto` are acknowledged. */
    release: async (upto: number): Promise<number> => {
      last = upto;
      first.resolve();
      await done.promise;
      return applied;
    },
  };
};

describe('incoming', () => {
  it('keeps no more events than the window allows, and sends a hello when one more arrives', async () => {
    const { incoming, hellos, release } = openBlocked();
    for (let sequence = 1; sequence <= eventWindow; sequence += 1) incoming.take(message(sequence), 100);
    expect(hellos()).toBe(0);
    incoming.take(message(eventWindow + 1), 100);
    expect(hellos()).toBe(1);
    expect(await release(eventWindow)).toBe(eventWindow);
    await incoming.halt();
  });

  it('keeps no more bytes than a whole window of the largest messages', async () => {
    const { incoming, hellos, release } = openBlocked();
    const most = Math.floor(maxUnacknowledgedBytes / maxPayloadBytes);
    for (let sequence = 1; sequence <= most; sequence += 1) incoming.take(message(sequence), maxPayloadBytes);
    expect(hellos()).toBe(0);
    incoming.take(message(most + 1), maxPayloadBytes);
    expect(hellos()).toBe(1);
    expect(await release(most)).toBe(most);
    // the message has room again
    incoming.take(message(most + 1), maxPayloadBytes);
    expect(hellos()).toBe(1);
    await incoming.halt();
  });
});
