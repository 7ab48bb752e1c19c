import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { windowSize } from '../limits.js';
import { finish, finishedPrefix } from './finished-prefix.js';
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
  resendAfterMs,
  type Sender,
  sent,
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
  ])('after 5 of its space, %j is a %s', (message, expected) => {
    expect(receive(taken, message)).toBe(expected);
  });

  it('takes nothing before the sender said hello', () => {
    expect(receive(startPosition, { epoch, sequence: 1 })).toBe('GAP');
    expect(receive(meetSender(startPosition, { sendEpoch: epoch }), { epoch, sequence: 1 })).toBe('APPLY');
  });
});

describe('finishedPrefix', () => {
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

  it('sends nothing before a hello, nor after the connection is gone', () => {
    expect(nextToSend(createSender({ epoch, acked: 0, last: 9 }))).toBeUndefined();
    expect(nextToSend(closed(open(9)))).toBeUndefined();
  });

  it('keeps the window', () => {
    const sender = sent(open(1000), windowSize, 0);
    expect(nextToSend(open(1000))).toEqual({ from: 1, to: windowSize });
    expect(nextToSend(sender)).toBeUndefined();
    expect(nextToSend(acknowledged(sender, { epoch, upto: 10 }, 1))).toEqual({
      from: windowSize + 1,
      to: windowSize + 10,
    });
  });

  it('goes back after the time-out, later each time until something moves', () => {
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
  ])('with 5 of 9 acknowledged, a receiver at %j fits: %s', (receiver, expected) => {
    expect(fits(createSender({ epoch, acked: 5, last: 9 }), receiver)).toBe(expected);
  });
});

/** What happens on a wire that loses, repeats, delays and breaks. */
type Event = 'ASSIGN' | 'DELIVER' | 'LOSE' | 'REPEAT' | 'SWAP' | 'BREAK' | 'WAIT';

describe('sender and receiver over a bad wire', () => {
  it('deliver everything exactly once and in order', () => {
    const event = fc.constantFrom<Event>('ASSIGN', 'DELIVER', 'DELIVER', 'LOSE', 'REPEAT', 'SWAP', 'BREAK', 'WAIT');
    fc.assert(
      fc.property(fc.array(event, { maxLength: 400 }), (events) => {
        let now = 0;
        let sender = createSender({ epoch, acked: 0, last: 0 });
        let position = startPosition;
        const applied: number[] = [];
        let wire: number[] = [];
        const hello = (): void => {
          position = meetSender(position, { sendEpoch: epoch });
          expect(fits(sender, { epoch: position.epoch, applied: position.sequence })).toBe(true);
          sender = metReceiver(sender, { epoch: position.epoch, applied: position.sequence }, now);
        };
        const pump = (): void => {
          const range = nextToSend(sender);
          if (range === undefined) return;
          for (let sequence = range.from; sequence <= range.to; sequence += 1) wire.push(sequence);
          sender = sent(sender, range.to, now);
          expect(sender.sent - sender.acked).toBeLessThanOrEqual(windowSize);
        };
        const deliver = (sequence: number): void => {
          const reception = receive(position, { epoch, sequence });
          if (reception === 'APPLY') {
            applied.push(sequence);
            position = { epoch, sequence };
          }
          if (reception === 'GAP') hello();
          else sender = acknowledged(sender, { epoch, upto: position.sequence }, now);
        };
        const step: Readonly<Record<Event, () => void>> = {
          ASSIGN: () => {
            sender = assigned(sender, sender.last + 1);
          },
          DELIVER: () => {
            const sequence = wire.shift();
            if (sequence !== undefined) deliver(sequence);
          },
          LOSE: () => void wire.shift(),
          REPEAT: () => wire.push(...wire.slice(0, 1)),
          SWAP: () => {
            wire = wire.toReversed();
          },
          BREAK: () => {
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
        for (const name of events) {
          step[name]();
          pump();
        }
        // from here the wire is good
        for (let round = 0; sender.acked < sender.last && round < 50; round += 1) {
          step.WAIT();
          pump();
          while (wire.length > 0) step.DELIVER();
        }
        expect(applied).toEqual(Array.from({ length: sender.last }, (_, index) => index + 1));
        expect(sender.acked).toBe(sender.last);
      }),
      { numRuns: 500 },
    );
  });
});
