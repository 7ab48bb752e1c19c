import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventWindow, maxPayloadBytes, receivedBatch, windowSize } from '../limits.js';
import type { BatchOffer } from '../messages/batch-offer.js';
import { finish, finishedPrefix } from './finished-prefix.js';
import { nextMessages } from './next-messages.js';
import { type Position, startPosition } from './position.js';
import { meetSender, receive } from './receiver.js';
import {
  acknowledged,
  assigned,
  checkedForTimeout,
  closed,
  createSender,
  fits,
  metReceiver,
  nextToSend,
  reportedWaiting,
  resendAfterMs,
  type Sender,
  sent,
  sentMessages,
} from './sender.js';

const epoch = 'e1';

describe('receive', () => {
  const taken: Position = { epoch, sequence: 5 };
  it.each([
    [{ epoch, sequence: 6 }, 'APPLY'],
    [{ epoch, sequence: 5 }, 'DUPLICATE'],
    [{ epoch, sequence: 1 }, 'DUPLICATE'],
    [{ epoch, sequence: 7 }, 'GAP'],
    [{ epoch: 'e2', sequence: 6 }, 'GAP'],
    [{ sequence: 6 }, 'GAP'],
    [{ epoch }, 'GAP'],
  ])('classifies %j as %s after message 5 of the same space', (message, expected) => {
    expect(receive(taken, message)).toBe(expected);
  });

  it("accepts no message before the sender's hello", () => {
    expect(receive(startPosition, { epoch, sequence: 1 })).toBe('GAP');
    expect(receive(meetSender(startPosition, { sendEpoch: epoch }), { epoch, sequence: 1 })).toBe('APPLY');
  });
});

describe('the finished prefix', () => {
  it('ends before the first unfinished message, in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Array.from({ length: 30 }, (_, index) => index + 1)), (order) => {
        const prefix = order.reduce(finish, finishedPrefix(0));
        const finished = new Set(order);
        let upto = 0;
        while (finished.has(upto + 1)) upto += 1;
        expect(prefix.upto).toBe(upto);
      }),
    );
  });
});

describe('sender', () => {
  const open = (last: number): Sender =>
    metReceiver(createSender({ epoch, acked: 0, last }), { epoch: null, applied: 0 }, 0);

  it('sends nothing before a hello, and nothing after the connection is lost', () => {
    expect(nextToSend(createSender({ epoch, acked: 0, last: 9 }))).toBeUndefined();
    expect(nextToSend(closed(open(9)))).toBeUndefined();
  });

  it('sends no more than the window', () => {
    const sender = sent(open(1000), windowSize, 0);
    expect(nextToSend(open(1000))).toEqual({ from: 1, to: windowSize });
    expect(nextToSend(sender)).toBeUndefined();
    expect(nextToSend(acknowledged(sender, { epoch, upto: 10 }, 1))).toEqual({
      from: windowSize + 1,
      to: windowSize + 10,
    });
  });

  it('sends on behind messages that wait at the receiver, and does not send them again on the connection', () => {
    const open = metReceiver(assigned(createSender({ epoch, acked: 0, last: 0 }), 10_000), { epoch, applied: 0 }, 0);
    const full = sent(open, windowSize, 0);
    expect(nextToSend(full)).toBeUndefined();
    const settled = acknowledged(full, { epoch, upto: 0, settled: windowSize }, 10);
    expect(settled).toMatchObject({ acked: 0, settled: windowSize });
    expect(nextToSend(settled)).toEqual({ from: windowSize + 1, to: 2 * windowSize });
    const further = sent(settled, 2 * windowSize, 10);
    expect(nextToSend(checkedForTimeout(further, 10 + resendAfterMs))?.from).toBe(windowSize + 1);
    expect(nextToSend(metReceiver(further, { epoch, applied: 0, settled: 300 }, 20))?.from).toBe(301);
    expect(nextToSend(metReceiver(further, { epoch, applied: 0 }, 20))?.from).toBe(1);
  });

  it('counts no waiting message in the window, and sends none of those again after a time-out', () => {
    const full = sent(open(10_000), windowSize, 0);
    const sequences = Array.from({ length: 56 }, (_, index) => 201 + index);
    const { sender, ignored } = reportedWaiting(full, { epoch, sequences });
    expect(ignored).toBe(0);
    expect(nextToSend(sender)).toEqual({ from: windowSize + 1, to: windowSize + 56 });
    // nothing is missing that a time-out could send again
    expect(checkedForTimeout(sender, resendAfterMs)).toBe(sender);
    const further = sent(sender, windowSize + 56, 0);
    const again = checkedForTimeout(further, resendAfterMs);
    expect(nextToSend(again)).toEqual({ from: windowSize + 1, to: windowSize + 56 });
    expect(nextToSend(acknowledged(further, { epoch, upto: 100 }, 0))?.to).toBe(windowSize + 156);
    expect(nextToSend(metReceiver(further, { epoch, applied: 0 }, 0))).toEqual({ from: 1, to: windowSize });
    expect(closed(further)).toMatchObject({ taken: 0, onTheWay: [] });
  });

  it('takes a batch as received when one of its events waits, and counts the others', () => {
    const offering = { epoch, applied: 0, batch: { maxEvents: 100, maxBytes: 1_000_000 } };
    const batches = Array.from({ length: 10 }, (_, index) => ({ upto: 100 * (index + 1), bytes: 10 }));
    const all = sentMessages(metReceiver(createSender({ epoch, acked: 0, last: 5_000 }), offering, 0), batches, 0);
    expect(nextToSend(all)).toEqual({ from: 1_001, to: eventWindow });
    const { sender } = reportedWaiting(all, { epoch, sequences: [1, 2, 3, 150] });
    expect(nextToSend(sender)).toEqual({ from: 1_001, to: eventWindow + 4 });
    expect(nextToSend(checkedForTimeout(sender, resendAfterMs))?.from).toBe(201);
    const first = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(reportedWaiting(sender, { epoch, sequences: first }).sender.onTheWay).toHaveLength(9);
    expect(nextToSend(acknowledged(sender, { epoch, upto: 50 }, 0))?.to).toBe(eventWindow + 51);
  });

  it('ignores waiting messages of another epoch, and those that it did not send, and stores none of them', () => {
    const sender = sent(open(10_000), 10, 0);
    expect(reportedWaiting(sender, { epoch: 'e2', sequences: [1, 2] })).toEqual({ sender, ignored: 2 });
    expect(reportedWaiting(closed(sender), { epoch, sequences: [1] }).ignored).toBe(1);
    const claimed = Array.from({ length: 100_000 }, (_, index) => index + 1);
    const report = reportedWaiting(sender, { epoch, sequences: claimed });
    expect(report.ignored).toBe(99_990);
    expect(report.sender.onTheWay).toEqual([]);
    expect(JSON.stringify(report.sender).length).toBeLessThan(300);
    expect(reportedWaiting(report.sender, { epoch, sequences: [1, 1, 2] })).toEqual({
      sender: report.sender,
      ignored: 0,
    });
  });

  it('takes no position from a statement that goes beyond the last message', () => {
    const sender = sent(metReceiver(createSender({ epoch, acked: 0, last: 5 }), { epoch, applied: 0 }, 0), 5, 0);
    expect(acknowledged(sender, { epoch, upto: 1, settled: 6 }, 0)).toBe(sender);
    expect(metReceiver(sender, { epoch, applied: 1, settled: 6 }, 0)).toMatchObject({ acked: 1, settled: 5 });
    // a sender that was restored to an earlier state numbers other messages: it must open a new space
    expect([fits(sender, { epoch, applied: 1, settled: 6 }), fits(sender, { epoch, applied: 1 })]).toEqual([
      false,
      true,
    ]);
  });

  it('goes back after the time-out, which grows until there is progress', () => {
    const waiting = sent(open(3), 3, 0);
    expect(nextToSend(checkedForTimeout(waiting, resendAfterMs - 1))).toBeUndefined();
    const once = checkedForTimeout(waiting, resendAfterMs);
    expect(nextToSend(once)).toEqual({ from: 1, to: 3 });
    expect(once.timeoutMs).toBe(2 * resendAfterMs);
    expect(acknowledged(once, { epoch, upto: 1 }, 0).timeoutMs).toBe(resendAfterMs);
  });

  it.each([
    { epoch: 'e2', upto: 2 },
    { epoch, upto: 99 },
    { epoch, upto: 0 },
  ])('ignores the acknowledgement %j', (ack) => {
    const sender = sent(open(3), 3, 0);
    expect(acknowledged(sender, ack, 1)).toBe(sender);
  });

  it.each([
    [{ epoch, applied: 5 }, true],
    [{ epoch, applied: 9 }, true],
    [{ epoch, applied: 4 }, false],
    [{ epoch, applied: 10 }, false],
    [{ epoch: null, applied: 0 }, false],
    [{ epoch: 'e2', applied: 7 }, false],
  ])('with 5 of 9 events acknowledged, fits a receiver at %j: %s', (receiver, expected) => {
    expect(fits(createSender({ epoch, acked: 5, last: 9 }), receiver)).toBe(expected);
  });
});

/** Events on a wire that loses, repeats, delays and breaks. */
type Event = 'ASSIGN' | 'DELIVER' | 'LOSE' | 'REPEAT' | 'SWAP' | 'BREAK' | 'WAIT';

/** How the receiver offers batches: on each connection, never, or on every second connection. */
const offers: Readonly<Record<string, (connection: number) => BatchOffer | undefined>> = {
  'with batches': () => receivedBatch,
  'without batches': () => undefined,
  'with small batches': () => ({ maxBytes: maxPayloadBytes, maxEvents: 3 }),
  'with batches on every second connection': (connection) => (connection % 2 === 0 ? receivedBatch : undefined),
};

describe('sender and receiver over an unreliable wire', () => {
  it.each(Object.entries(offers))('%s, deliver everything exactly once and in order', (_, offer) => {
    const event = fc.constantFrom<Event>(
      'ASSIGN',
      'ASSIGN',
      'DELIVER',
      'DELIVER',
      'LOSE',
      'REPEAT',
      'SWAP',
      'BREAK',
      'WAIT',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.integer({ min: 1, max: 20 })), { maxLength: 400 }), (events) => {
        let connections = 0;
        let now = 0;
        let sender = createSender({ epoch, acked: 0, last: 0 });
        let position = startPosition;
        const applied: number[] = [];
        let wire: (readonly number[])[] = [];
        const hello = (): void => {
          position = meetSender(position, { sendEpoch: epoch });
          expect(fits(sender, { epoch: position.epoch, applied: position.sequence })).toBe(true);
          const batch = offer(connections);
          sender = metReceiver(sender, { epoch: position.epoch, applied: position.sequence, batch }, now);
        };
        const pump = (): void => {
          const range = nextToSend(sender);
          if (range === undefined) return;
          const waiting = Array.from({ length: range.to - range.from + 1 }, (__, index) => ({
            sequence: range.from + index,
            bytes: 100,
          }));
          const messages = nextMessages(sender, waiting).map((message) => message.map(({ sequence }) => sequence));
          if (offer(connections) === undefined) expect(messages.every(({ length }) => length === 1)).toBe(true);
          wire.push(...messages);
          const sentNow = messages.map((message) => ({ upto: message.at(-1) ?? 0, bytes: 100 * message.length }));
          sender = sentMessages(sender, sentNow, now);
          expect(sender.onTheWay.length).toBeLessThanOrEqual(windowSize);
          expect(sender.sent - sender.acked).toBeLessThanOrEqual(eventWindow);
        };
        const deliver = (message: readonly number[]): void => {
          for (const sequence of message) deliverEvent(sequence);
        };
        const deliverEvent = (sequence: number): void => {
          const reception = receive(position, { epoch, sequence });
          if (reception === 'APPLY') {
            applied.push(sequence);
            position = { epoch, sequence };
          }
          if (reception === 'GAP') hello();
          else sender = acknowledged(sender, { epoch, upto: position.sequence }, now);
        };
        const step: Readonly<Record<Event, (count: number) => void>> = {
          ASSIGN: (count) => {
            sender = assigned(sender, sender.last + count);
          },
          DELIVER: () => {
            const message = wire.shift();
            if (message !== undefined) deliver(message);
          },
          LOSE: () => void wire.shift(),
          REPEAT: () => wire.push(...wire.slice(0, 1)),
          SWAP: () => {
            wire = wire.toReversed();
          },
          BREAK: () => {
            connections += 1;
            wire = [];
            sender = closed(sender);
            hello();
          },
          WAIT: () => {
            now += sender.timeoutMs;
            sender = checkedForTimeout(sender, now);
          },
        };
        hello();
        for (const [name, count] of events) {
          step[name](count);
          pump();
        }
        // from here on, the wire is reliable
        for (let round = 0; sender.acked < sender.last && round < 50; round += 1) {
          step.WAIT(1);
          pump();
          while (wire.length > 0) step.DELIVER(1);
        }
        expect(applied).toEqual(Array.from({ length: sender.last }, (_, index) => index + 1));
        expect(sender.acked).toBe(sender.last);
      }),
      { numRuns: 200 },
    );
  });
});
