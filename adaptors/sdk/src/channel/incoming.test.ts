import { describe, expect, it } from '@jest/globals';
import {
  type Ack,
  type EventMessage,
  eventWindow,
  maxUnacknowledgedBytes,
  maxPayloadBytes,
} from '@fds/adaptor-protocol';
import { adaptorPropertyTable } from '../properties/adaptor-properties.js';
import { createDeferred } from '../deferred.js';
import { createIncoming, type IncomingOptions } from './incoming.js';
import { createKeyedTaskPool } from './create-keyed-task-pool.js';
import { eventually } from '../testing/eventually.js';
import type { WaitingMessage } from '../journal/waiting-table.js';

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
    maxTurns: () => 2,
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

/** A receiving end whose first messages wait for a later one until `parents` is true. The test turns its clock on. */
const openReferring = (children: number, limits: Partial<IncomingOptions['limits']> = {}) => {
  const kept = new Map<number, WaitingMessage>();
  const seen = { parents: false, attempts: 0, applied: 0, final: 0 };
  let skippedMs = 0;
  let taken = 0;
  const incoming = createIncoming({
    journal: {
      incoming: () => ({ epoch, sequence: 0, settled: 0 }),
      waiting: { list: () => [], read: (sequence) => kept.get(sequence)?.body },
    },
    tasks: createKeyedTaskPool(4),
    apply: async ({ sequence = 0 }, { othersWork }) => {
      await new Promise(setImmediate);
      seen.attempts += 1;
      if (sequence > children || seen.parents) {
        seen.applied += 1;
        return { reports: [] };
      }
      if (othersWork()) return { waits: { waitsFor: 'later rows', reason: 'no such row', isOwn: true } };
      seen.final += 1;
      return { reports: [{ error: { level: 'ERROR', kind: 'DATA', message: 'no such row', sequence } }] };
    },
    store: ({ added, removed }) => {
      for (const one of added) kept.set(one.sequence, one);
      for (const sequence of removed) kept.delete(sequence);
    },
    acknowledge: () => undefined,
    sayHello: () => undefined,
    onStored: () => undefined,
    onWaiting: () => undefined,
    onFault: () => undefined,
    onOver: () => undefined,
    onFull: () => undefined,
    limits: { maxWaiting: 10_000, maxWaitingBytes: 2 ** 30, ...limits },
    maxTurns: () => 8,
    nowMs: () => performance.now() + skippedMs,
  });
  incoming.open();
  return {
    seen,
    waiting: () => kept.size,
    waitingBytes: () => [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    halt: () => incoming.halt(),
    take: (count: number): void => {
      for (let left = count; left > 0; left -= 1) {
        taken += 1;
        incoming.take({ ...message(taken), partitionkey: String(taken) }, 10);
      }
    },
    /** Lets time pass. */
    skip: (ms: number): void => {
      skippedMs += ms;
    },
    /** Lets time pass, and attempts a waiting message. */
    pass: async (ms: number): Promise<void> => {
      const { attempts } = seen;
      skippedMs += ms;
      incoming.retryWaiting();
      await eventually(() => seen.attempts > attempts);
    },
  };
};

describe('messages that wait for a later one', () => {
  it('wait as long as others are applied, and follow when it has arrived', async () => {
    const { seen, waiting, halt, take, pass } = openReferring(200);
    take(200);
    await eventually(() => waiting() === 200);
    for (let round = 1; round <= 10; round += 1) {
      take(1);
      await eventually(() => seen.applied === round);
      await pass(9_000);
    }
    expect([seen.final, waiting()]).toEqual([0, 200]);
    seen.parents = true;
    await eventually(() => waiting() === 0);
    expect([seen.final, seen.applied]).toEqual([0, 210]);
    await halt();
  });

  it('are final when nothing came and nothing was applied for ten seconds', async () => {
    const { seen, waiting, halt, take, pass } = openReferring(5);
    take(5);
    await eventually(() => waiting() === 5);
    await pass(9_000);
    expect(seen.final).toBe(0);
    await pass(2_000);
    await eventually(() => waiting() === 0);
    expect(seen.final).toBe(5);
    await halt();
  });

  it('are final after an hour, although others are applied', async () => {
    const { seen, waiting, halt, take, skip, pass } = openReferring(1);
    take(1);
    await eventually(() => waiting() === 1);
    skip(3_400_000);
    take(1);
    await pass(1_000);
    expect([seen.final, waiting()]).toEqual([0, 1]);
    skip(300_000);
    take(1);
    await pass(1_000);
    await eventually(() => seen.final === 1);
    await halt();
  });

  it('all wait in a first load of 60,000 of them, with the default limits', async () => {
    const { journalMaxWaiting, journalMaxWaitingBytes } = adaptorPropertyTable;
    const { seen, waiting, halt, take } = openReferring(60_000, {
      maxWaiting: journalMaxWaiting.fallback,
      maxWaitingBytes: journalMaxWaitingBytes.fallback,
    });
    for (let children = 1_000; children <= 60_000; children += 1_000) {
      take(1_000);
      await eventually(() => seen.final > 0 || waiting() === children);
    }
    expect([seen.final, waiting()]).toEqual([0, 60_000]);
    seen.parents = true;
    take(1);
    await eventually(() => waiting() === 0, 60_000);
    expect([seen.final, seen.applied]).toEqual([0, 60_001]);
    await halt();
  }, 120_000);

  it('leave a quarter of the journal to the others', async () => {
    const { seen, waiting, halt, take } = openReferring(300, { maxWaiting: 100 });
    take(400);
    await eventually(() => seen.applied === 100 && seen.final + waiting() === 300);
    // four attempts run at the same time
    expect(waiting()).toBeGreaterThanOrEqual(75);
    expect(waiting()).toBeLessThanOrEqual(79);
    await halt();
  });

  it('leave a quarter of the bytes of the journal to the others', async () => {
    const maxWaitingBytes = 50_000;
    const { seen, waiting, waitingBytes, halt, take } = openReferring(300, { maxWaitingBytes });
    take(400);
    await eventually(() => seen.applied === 100 && seen.final + waiting() === 300);
    const largest = waitingBytes() / waiting() + 10;
    expect(waitingBytes()).toBeGreaterThanOrEqual(maxWaitingBytes * 0.75);
    expect(waitingBytes()).toBeLessThanOrEqual(maxWaitingBytes * 0.75 + 4 * largest);
    await halt();
  });
});
