import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventWindow } from '@fds/adaptor-protocol';
import type { Channel } from '../../domain/meet-adaptor.js';
import type { OutboxMessage } from '../../store/channels/delivery.js';
import { createOutlet } from './create-outlet.js';

const createWorld = (base = 0) => {
  let plays = true;
  let nowMs = 0;
  const stored: OutboxMessage[] = [];
  const wire: number[] = [];
  const sizes: number[] = [];
  const loads: string[] = [];
  const sent: number[] = [];
  const outlet = createOutlet({
    plays: () => plays,
    budget: { used: 0, max: 1_000_000 },
    load: async ({ from, to }) => {
      loads.push(`${from}-${to}`);
      return stored.filter(({ sequence }) => sequence >= from && sequence <= to);
    },
    send: (messages, { sequence }) => {
      sizes.push(messages.length);
      wire.push(...messages.map((_, index) => sequence + index));
    },
    onSent: ({ upto }) => sent.push(upto),
    nowMs: () => nowMs,
    onError: (error) => {
      throw error;
    },
  });
  const channel = (downAcked: number): Channel => ({
    adaptorUuid: 'a',
    downEpoch: 'e',
    downBase: base,
    downSequence: base + stored.length,
    downAcked,
    upEpoch: null,
    upApplied: 0,
  });
  return {
    outlet,
    wire,
    stored,
    /** The number of events of each message. */
    sizes,
    loads,
    sent,
    channel,
    /** Queues so many more messages; those at hand are given along. */
    queue: (count: number, given: 'at hand' | 'stored') => {
      const fresh = Array.from({ length: count }, (_, index) => ({
        sequence: base + stored.length + index + 1,
        recordUuid: 'r',
        message: '{}',
      }));
      stored.push(...fresh);
      outlet.queued(base + stored.length, given === 'at hand' ? fresh : []);
    },
    play: (next: 'on' | 'off') => {
      plays = next === 'on';
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
};

describe('outlet', () => {
  it('keeps the rate of other messages while 5000 wait at the adaptor, and sends all of them again after a hello', async () => {
    const { outlet, channel, queue, wire, pass } = createWorld();
    outlet.met(channel(0));
    queue(10_000, 'stored');
    // every other message is of the group that waits; the finished ones behind it cannot be acknowledged
    let reported = 0;
    while (wire.length < 10_000) {
      await turn();
      expect(wire.length).toBeGreaterThan(reported);
      reported = wire.length;
      expect(outlet.waiting({ epoch: 'e', sequences: Array.from(wire) })).toBe(0);
      pass(5_000);
      outlet.check();
      await turn();
    }
    expect(wire).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
    expect(outlet.position()).toMatchObject({ applied: 0, begun: 10_000 });
    outlet.met(channel(0));
    await turn();
    expect(wire.slice(10_000)).toEqual(Array.from({ length: 256 }, (_, index) => index + 1));
    expect(outlet.waiting({ epoch: 'of before', sequences: [1, 2] })).toBe(2);
  });

  it('says how far it has sent, by the numbers of the outbox', async () => {
    const { outlet, channel, queue, sent } = createWorld(40);
    outlet.met(channel(40));
    queue(2, 'at hand');
    await turn();
    expect(sent).toEqual([42]);
  });

  it('sends nothing before the first hello', async () => {
    const { outlet, queue, wire, channel } = createWorld();
    queue(3, 'at hand');
    await turn();
    expect(wire).toEqual([]);
    outlet.met(channel(0));
    await turn();
    expect(wire).toEqual([1, 2, 3]);
  });

  it('sends nothing while a hello is answered, then numbers new messages after the resent ones', async () => {
    const { outlet, queue, wire, channel } = createWorld(40);
    outlet.met(channel(40));
    queue(3, 'at hand');
    await turn();
    expect(wire.splice(0)).toEqual([1, 2, 3]);
    outlet.acknowledged({ epoch: 'e', upto: 1 });
    const release = outlet.hold();
    // the transaction that opens the epoch is committed, then a batch queues a message, then the outlet receives the epoch
    const opened = { ...channel(41), downEpoch: 'new', downBase: 41 };
    queue(1, 'at hand');
    await turn();
    expect(wire).toEqual([]);
    outlet.met(opened);
    release();
    await turn();
    expect(wire).toEqual([1, 2, 3]);
    expect(outlet.position()).toMatchObject({ epoch: 'new', begun: 3 });
    queue(1, 'stored');
    await turn();
    expect(wire).toEqual([1, 2, 3, 4]);
  });

  it('continues after a hello that could not be answered', async () => {
    const { outlet, queue, wire, channel } = createWorld();
    outlet.met(channel(0));
    const release = outlet.hold();
    queue(2, 'at hand');
    await turn();
    expect(wire).toEqual([]);
    release();
    release();
    await turn();
    expect(wire).toEqual([1, 2]);
  });

  it('does not send again what the adaptor has settled behind a waiting message', async () => {
    const { outlet, queue, wire, channel } = createWorld(40);
    queue(2, 'at hand');
    outlet.met(channel(40), undefined, 2);
    queue(2, 'at hand');
    await turn();
    expect(wire.splice(0)).toEqual([3, 4]);
    // the acknowledged position has not moved, so there is nothing to store
    expect(outlet.acknowledged({ epoch: 'e', upto: 0, settled: 4 })).toBeUndefined();
    outlet.met(channel(40), undefined, 4);
    queue(1, 'at hand');
    await turn();
    expect(wire).toEqual([5]);
  });

  it('sends messages in memory without reading them', async () => {
    const { outlet, queue, wire, loads, channel } = createWorld(40);
    outlet.met(channel(40));
    queue(2, 'at hand');
    await turn();
    expect([wire, loads]).toEqual([[1, 2], []]);
  });

  it('keeps to the window, and continues as acknowledgements come', async () => {
    const { outlet, queue, wire, channel } = createWorld();
    outlet.met(channel(0));
    queue(600, 'stored');
    await turn();
    expect(wire.at(-1)).toBe(256);
    expect(outlet.acknowledged({ epoch: 'e', upto: 100 })).toEqual({ epoch: 'e', upto: 100 });
    await turn();
    expect(wire.at(-1)).toBe(356);
    expect(outlet.acknowledged({ epoch: 'e', upto: 100 })).toBeUndefined();
    expect(outlet.acknowledged({ epoch: 'other', upto: 200 })).toBeUndefined();
  });

  it('reads a backlog ahead of the window, each message once', async () => {
    const { outlet, queue, wire, loads, channel } = createWorld(40);
    outlet.met(channel(40));
    queue(600, 'stored');
    await turn();
    for (let upto = 50; upto <= 600; upto += 50) {
      outlet.acknowledged({ epoch: 'e', upto });
      await turn();
    }
    expect(wire).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    expect(loads).toEqual(['41-552', '553-640']);
  });

  it('does not send messages that were acknowledged while they were read ahead', async () => {
    const { outlet, queue, wire, channel } = createWorld();
    outlet.met(channel(0));
    queue(600, 'stored');
    await turn();
    outlet.acknowledged({ epoch: 'e', upto: 300 });
    await turn();
    expect(wire.slice(256, 258)).toEqual([301, 302]);
  });

  it('goes back to the last acknowledged message after the time-out', async () => {
    const { outlet, queue, wire, pass, channel } = createWorld();
    outlet.met(channel(0));
    queue(3, 'at hand');
    await turn();
    outlet.acknowledged({ epoch: 'e', upto: 1 });
    pass(2_999);
    outlet.check();
    await turn();
    expect(wire).toEqual([1, 2, 3]);
    pass(1);
    outlet.check();
    await turn();
    expect(wire).toEqual([1, 2, 3, 2, 3]);
  });

  describe('to an adaptor that offers batches', () => {
    const batch = { maxBytes: 65_536, maxEvents: 10 };

    it('sends the messages that wait together, and a single one alone', async () => {
      const { outlet, queue, wire, sizes, channel } = createWorld(40);
      outlet.met(channel(40), batch);
      queue(1, 'at hand');
      await turn();
      queue(25, 'at hand');
      await turn();
      expect(sizes).toEqual([1, 10, 10, 5]);
      expect(wire).toEqual(Array.from({ length: 26 }, (_, index) => index + 1));
    });

    it('keeps to the window of events, and continues from the middle of a batch', async () => {
      const { outlet, queue, wire, sizes, channel } = createWorld();
      outlet.met(channel(0), batch);
      queue(2_000, 'stored');
      await turn();
      expect(wire.at(-1)).toBe(eventWindow);
      outlet.acknowledged({ epoch: 'e', upto: 5 });
      await turn();
      expect([wire.at(-1), sizes.at(-1)]).toEqual([eventWindow + 5, 5]);
    });

    it('sends every message alone after a hello without an offer', async () => {
      const { outlet, queue, sizes, wire, channel } = createWorld();
      outlet.met(channel(0), batch);
      queue(20, 'at hand');
      await turn();
      outlet.met(channel(12));
      await turn();
      expect(sizes).toEqual([10, 10, 1, 1, 1, 1, 1, 1, 1, 1]);
      expect(wire.slice(20)).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
    });

    it('passes over messages without content', async () => {
      const { outlet, queue, stored, sizes, wire, sent, channel } = createWorld();
      queue(6, 'stored');
      for (const index of [0, 3, 5]) stored[index] = { ...stored[index]!, message: null };
      outlet.met(channel(0), batch);
      await turn();
      expect([wire, sizes, sent]).toEqual([[2, 3, 5], [2, 1], [6]]);
    });
  });

  it('waits while the adaptor does not play', async () => {
    const { outlet, queue, wire, play, channel } = createWorld();
    outlet.met(channel(0));
    play('off');
    queue(2, 'at hand');
    await turn();
    expect(wire).toEqual([]);
    play('on');
    outlet.check();
    await turn();
    expect(wire).toEqual([1, 2]);
  });
});
