import { describe, expect, it } from '@jest/globals';
import { createHeldAcks } from './held-acks.js';

const ack = (upto: number, settled?: number) => ({ epoch: 'e', upto, ...(settled === undefined ? {} : { settled }) });

describe('held acknowledgements', () => {
  it('wait for the reports that are stored when they are made, and for no later ones', () => {
    let unsent: { first: number; last: number } | undefined;
    const held = createHeldAcks(() => unsent);
    expect(held.hold(ack(1))).toBe(false);
    unsent = { first: 1, last: 2 };
    expect(held.hold(ack(2))).toBe(true);
    unsent = { first: 2, last: 3 };
    expect(held.hold(ack(3))).toBe(true);
    expect(held.release()).toBeUndefined();
    unsent = { first: 3, last: 4 };
    expect([held.release(), held.release()]).toEqual([ack(2), undefined]);
    // the report of 3 is sent, those of later messages are not
    unsent = { first: 4, last: 9 };
    expect([held.release(), held.release()]).toEqual([ack(3), undefined]);
  });

  it('keep their order when all reports are sent in the meantime', () => {
    let unsent: { first: number; last: number } | undefined = { first: 1, last: 1 };
    const held = createHeldAcks(() => unsent);
    expect(held.hold(ack(1))).toBe(true);
    unsent = undefined;
    expect(held.hold(ack(2))).toBe(true);
    expect([held.release(), held.hold(ack(3))]).toEqual([ack(2), false]);
  });

  it('are held once for each position, however often the server sends its messages again', () => {
    let unsent: { first: number; last: number } | undefined = { first: 1, last: 1 };
    const held = createHeldAcks(() => unsent);
    held.hold(ack(1));
    for (let last = 2; last < 10_000; last += 1) {
      unsent = { first: 1, last };
      held.hold(ack(1, last));
    }
    unsent = { first: 2, last: 10_000 };
    expect(held.release()).toEqual(ack(1, 9_999));
  });
});
