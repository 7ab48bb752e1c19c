import { describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import type { Channel } from '../../domain/meet-adaptor.js';
import type { OutboxMessage, OutboxRange } from '../../store/channels/delivery.js';
import type { FailedAttempts } from '../domain/webhooks/receiver-state.js';
import { createWebhookOutlet, type WebhookOutletDependencies } from './create-webhook-outlet.js';

type Verdict = Awaited<ReturnType<WebhookOutletDependencies['deliver']>>;
type Deliver = (message: OutboxMessage, signal: AbortSignal) => Promise<Verdict> | Verdict;

const done: Verdict = { kind: 'DONE' };
const retry = (afterMs: number): Verdict => ({ kind: 'RETRY', afterMs, detail: 'answered 500' });

/** An outlet over an outbox in memory, with a clock that only the test moves. */
const open = (records: readonly string[], deliver: Deliver = () => done) => {
  const outbox = records.map((recordUuid, index) => ({ sequence: index + 1, recordUuid, message: 'x'.repeat(100) }));
  const started: number[] = [];
  const underWay = new Set<string>();
  const loads: OutboxRange[] = [];
  const acks: number[] = [];
  const errors: unknown[] = [];
  const attemptsBefore: number[] = [];
  const failures: (FailedAttempts | undefined)[] = [];
  const budget = { used: 0, max: 10_000 };
  let most = 0;
  let clash = false;
  let nowMs = 0;
  let playing = true;
  let isStopped = false;
  const outlet = createWebhookOutlet({
    plays: () => playing,
    budget,
    load: async (range) => {
      loads.push(range);
      return outbox.filter(({ sequence }) => sequence >= range.from && sequence <= range.to);
    },
    deliver: async (message, _place, attempts, signal) => {
      started.push(message.sequence);
      attemptsBefore.push(attempts);
      clash ||= underWay.has(message.recordUuid);
      underWay.add(message.recordUuid);
      most = Math.max(most, underWay.size);
      await new Promise(setImmediate);
      const verdict = await deliver(message, signal);
      underWay.delete(message.recordUuid);
      return verdict;
    },
    onDone: ({ upto }) => void acks.push(upto),
    onSent: () => undefined,
    onFailure: async (failed) => void failures.push(failed),
    onCondition: () => undefined,
    onStopped: () => {
      isStopped = true;
    },
    nowMs: () => nowMs,
    onError: (error) => void errors.push(error),
  });
  const channel: Channel = {
    adaptorUuid: 'a',
    downEpoch: 'e1',
    downBase: 0,
    downSequence: records.length,
    downAcked: 0,
    upEpoch: null,
    upApplied: 0,
  };
  return {
    outlet,
    channel,
    started,
    acks,
    errors,
    attemptsBefore,
    failures,
    loads,
    budget,
    most: () => most,
    clashed: () => clash,
    isStopped: () => isStopped,
    wait: (ms: number) => {
      nowMs += ms;
      outlet.check();
    },
    play: (plays: boolean) => {
      playing = plays;
      outlet.check();
    },
  };
};

describe('the outlet of a webhook adaptor', () => {
  it('delivers several records at once, and the messages of each one after another', async () => {
    const records = Array.from({ length: 200 }, (_, index) => `r${index % 20}`);
    const { outlet, channel, started, acks, most, clashed } = open(records);
    outlet.met(channel);
    await eventually(() => expect(acks.at(-1)).toBe(200));
    expect([most(), clashed(), new Set(started).size]).toEqual([8, false, 200]);
    for (const record of new Set(records)) {
      const own = started.filter((number) => records[number - 1] === record);
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
    expect(acks).toEqual([...acks].sort((a, b) => a - b));
  });

  it('sends nothing again that was delivered behind a message that failed', async () => {
    let fails = true;
    const world = open(['a', 'b', 'a', 'c'], ({ sequence }) => (sequence === 1 && fails ? retry(5_000) : done));
    world.outlet.met(world.channel);
    await eventually(() => expect(world.outlet.condition).toEqual({ kind: 'FAILING', message: 'answered 500' }));
    expect(world.acks).toEqual([]);
    const before = [...world.started];
    expect(before).not.toContain(3);
    fails = false;
    world.wait(4_999);
    await world.outlet.settle();
    expect(world.started).toEqual(before);
    world.wait(1);
    await eventually(() => expect(world.acks.at(-1)).toBe(4));
    expect(world.started.filter((number) => number !== 1).length).toBe(3);
    expect(world.outlet.condition).toEqual({ kind: 'WELL' });
  });

  it('tries with one message while the receiver fails, and keeps none in memory', async () => {
    const world = open(
      Array.from({ length: 50 }, (_, index) => `r${index}`),
      () => retry(1_000),
    );
    world.outlet.met(world.channel);
    await eventually(() => expect(world.outlet.condition.kind).toBe('FAILING'));
    const before = world.started.length;
    expect(before).toBeLessThanOrEqual(8);
    world.wait(1_000);
    await eventually(() => expect(world.started.length).toBe(before + 1));
    await world.outlet.settle();
    expect([world.budget.used, world.loads.at(-1)]).toEqual([0, expect.objectContaining({ from: 1, to: 1 })]);
  });

  it('reads no more than the budget of the process has left', async () => {
    const world = open(['a', 'b']);
    world.budget.used = 9_500;
    world.outlet.met(world.channel);
    await eventually(() => expect(world.acks.at(-1)).toBe(2));
    expect(world.loads[0]?.maxCharacters).toBe(500);
    expect(world.budget.used).toBe(9_500);
  });

  it('rests after STOP until it is asked to try again', async () => {
    let fails = true;
    const world = open(['a'], () => (fails ? { kind: 'STOP', detail: 'answered 410' } : done));
    world.outlet.met(world.channel);
    await eventually(() => expect(world.outlet.condition.kind).toBe('FAILING'));
    world.wait(10 ** 9);
    await world.outlet.settle();
    expect(world.started).toEqual([1]);
    fails = false;
    world.outlet.retry();
    await eventually(() => expect(world.acks).toEqual([1]));
  });

  it('continues after the failures of an earlier process', async () => {
    let fails = true;
    const world = open(['a'], () => (fails ? retry(2_000) : done));
    world.outlet.resume({ failures: 3, afterMs: 1_000, detail: 'answered 503' });
    expect(world.outlet.condition).toEqual({ kind: 'FAILING', message: 'answered 503' });
    world.outlet.met(world.channel);
    world.wait(999);
    await world.outlet.settle();
    expect(world.started).toEqual([]);
    world.wait(1);
    await eventually(() => expect(world.failures).toEqual([{ failures: 4, afterMs: 2_000, detail: 'answered 500' }]));
    await world.outlet.settle();
    fails = false;
    world.wait(2_000);
    await eventually(() => expect(world.acks).toEqual([1]));
    await world.outlet.settle();
    expect([world.attemptsBefore, world.failures.at(-1)]).toEqual([[3, 4], undefined]);
    expect(world.failures).toHaveLength(2);
    expect(world.outlet.condition).toEqual({ kind: 'WELL' });
  });

  it('finishes the messages under way when it is paused, and begins no other', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = open(['a', 'a'], async () => {
      await released;
      return done;
    });
    world.outlet.met(world.channel);
    await eventually(() => expect(world.started).toEqual([1]));
    world.play(false);
    expect(world.outlet.isIdle).toBe(false);
    release();
    await eventually(() => expect(world.outlet.isIdle).toBe(true));
    expect([world.started, world.acks]).toEqual([[1], [1]]);
    world.play(true);
    await eventually(() => expect(world.acks).toEqual([1, 2]));
  });

  it('ends the messages under way when it is stopped, and does not acknowledge them', async () => {
    const world = open(['a'], async (_, signal) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return done;
    });
    world.outlet.met(world.channel);
    await eventually(() => expect(world.started).toEqual([1]));
    world.outlet.stop();
    await world.outlet.settle();
    expect([world.acks, world.isStopped()]).toEqual([[], true]);
  });

  it('delivers a message again when its consequences failed', async () => {
    let attempts = 0;
    const world = open(['a'], () => {
      attempts += 1;
      if (attempts === 1) throw new Error('the database is away');
      return done;
    });
    world.outlet.met(world.channel);
    await eventually(() => expect(world.errors).toHaveLength(1));
    expect([world.acks, world.outlet.condition.kind]).toEqual([[], 'WELL']);
    world.wait(1_000);
    await eventually(() => expect(world.acks).toEqual([1]));
  });
});
