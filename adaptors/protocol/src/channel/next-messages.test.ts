import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { batchFrameBytes } from '../build-batch.js';
import { eventWindow, maxPayloadBytes, receivedBatch, sentBatch, windowBytes, windowSize } from '../limits.js';
import type { BatchOffer } from '../messages/batch-offer.js';
import { nextMessages, type WaitingEvent } from './next-messages.js';
import {
  acknowledged,
  bytesOnTheWay,
  createSender,
  metReceiver,
  nextToSend,
  type Sender,
  sentMessages,
} from './sender.js';

const epoch = 'e1';
const open = (last: number, batch?: BatchOffer): Sender =>
  metReceiver(createSender({ epoch, acked: 0, last }), { epoch: null, applied: 0, batch }, 0);
const waiting = (sender: Sender, bytes: (sequence: number) => number): WaitingEvent[] => {
  const { from, to } = nextToSend(sender) ?? { from: 1, to: 0 };
  return Array.from({ length: to - from + 1 }, (_, index) => ({ sequence: from + index, bytes: bytes(from + index) }));
};
const send = (sender: Sender, bytes: (sequence: number) => number): Sender => {
  const messages = nextMessages(sender, waiting(sender, bytes));
  return sentMessages(
    sender,
    messages.map((message) => ({
      upto: message.at(-1)?.sequence ?? 0,
      bytes: message.reduce((sum, event) => sum + event.bytes, 0),
    })),
    0,
  );
};
const sizes = (sender: Sender, bytes: (sequence: number) => number): number[] =>
  nextMessages(sender, waiting(sender, bytes)).map(({ length }) => length);

describe('nextMessages', () => {
  it('sends each event alone, in a window of 256, to a receiver that offered no batches', () => {
    expect(sizes(open(1_000), () => 100)).toEqual(Array.from({ length: windowSize }, () => 1));
  });

  it('puts as many events into a message as the receiver takes', () => {
    expect(sizes(open(10, { maxBytes: maxPayloadBytes, maxEvents: 4 }), () => 100)).toEqual([4, 4, 2]);
    expect(sizes(open(5, { maxBytes: batchFrameBytes + 202, maxEvents: 4 }), () => 100)).toEqual([2, 2, 1]);
    expect(sizes(open(3, { maxBytes: 1, maxEvents: 4 }), () => 100)).toEqual([1, 1, 1]);
    expect(sizes(open(3, { maxBytes: maxPayloadBytes, maxEvents: 0 }), () => 100)).toEqual([1, 1, 1]);
  });

  it('sends a large event alone, and the small ones around it together', () => {
    const bytes = (sequence: number): number => (sequence === 3 ? 200_000 : 100);
    expect(sizes(open(6, receivedBatch), bytes)).toEqual([2, 1, 3]);
  });

  it('puts events with non-consecutive sequences into separate messages', () => {
    const events = [1, 2, 4].map((sequence) => ({ sequence, bytes: 1 }));
    expect(nextMessages(open(4, receivedBatch), events).map(({ length }) => length)).toEqual([2, 1]);
  });

  it('fills the window of events, and continues as they are acknowledged', () => {
    const full = send(open(5_000, receivedBatch), () => 10);
    expect(full.sent).toBe(eventWindow);
    expect(nextToSend(full)).toBeUndefined();
    expect(nextToSend(acknowledged(full, { epoch, upto: 100 }, 0))).toEqual({
      from: eventWindow + 1,
      to: eventWindow + 100,
    });
  });

  it('fills the window of messages with events that were sent one at a time', () => {
    let sender = open(0, receivedBatch);
    for (let last = 1; last <= windowSize + 10; last += 1) sender = send({ ...sender, last }, () => 10);
    expect([sender.sent, sender.onTheWay.length]).toEqual([windowSize, windowSize]);
    sender = send(acknowledged(sender, { epoch, upto: 1 }, 0), () => 10);
    expect([sender.sent, sender.onTheWay.length]).toEqual([windowSize + 10, windowSize]);
  });

  it.each([undefined, receivedBatch])(
    'fills the window of bytes with the largest events, with the offer %j',
    (batch) => {
      const full = send(open(1_000, batch), () => maxPayloadBytes);
      expect(bytesOnTheWay(full)).toBe(windowBytes);
      expect(nextToSend(full)).toBeUndefined();
    },
  );

  it('stays within every limit, for any waiting events and any acknowledgements', () => {
    const offer = fc.option(
      fc.record({ maxBytes: fc.nat(2 * maxPayloadBytes), maxEvents: fc.nat(2 * receivedBatch.maxEvents) }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        offer,
        fc.array(
          fc.record({ assign: fc.nat(600), bytes: fc.integer({ min: 1, max: maxPayloadBytes }), ack: fc.nat(400) }),
          {
            maxLength: 30,
          },
        ),
        (batch, steps) => {
          let sender = open(0, batch);
          const sizeAt: number[] = [];
          for (const { assign, bytes, ack } of steps) {
            for (let n = 0; n < assign; n += 1) sizeAt.push(n % 3 === 0 ? bytes : 50);
            sender = { ...sender, last: sizeAt.length };
            const before = sender.sent;
            const messages = nextMessages(
              sender,
              waiting(sender, (sequence) => sizeAt[sequence - 1] ?? 0),
            );
            for (const message of messages) {
              const total = message.reduce((sum, event) => sum + event.bytes + 1, batchFrameBytes);
              expect(message.length).toBeLessThanOrEqual(
                Math.max(1, Math.min(batch?.maxEvents ?? 1, sentBatch.maxEvents)),
              );
              if (message.length > 1)
                expect(total).toBeLessThanOrEqual(Math.min(batch?.maxBytes ?? 0, sentBatch.maxBytes));
            }
            const flat = messages.flat().map(({ sequence }) => sequence);
            expect(flat).toEqual(flat.map((_, index) => before + 1 + index));
            sender = send(sender, (sequence) => sizeAt[sequence - 1] ?? 0);
            expect(sender.onTheWay.length).toBeLessThanOrEqual(windowSize);
            expect(sender.sent - sender.acked).toBeLessThanOrEqual(eventWindow);
            expect(sender.onTheWay.length <= 1 || bytesOnTheWay(sender) <= windowBytes).toBe(true);
            sender = acknowledged(sender, { epoch, upto: Math.min(sender.sent, sender.acked + ack) }, 0);
          }
        },
      ),
    );
  });
});
