import type { Hello } from '@fds/adaptor-protocol';
import { describe, expect, it } from '@jest/globals';
import { mayNameOther, missingMessages } from './missing-messages.js';
import type { Channel } from './meet-adaptor.js';

const epochAt = (time: string): string => `${time}-0000-7000-8000-000000000000`;
const [earlier, present, later] = [epochAt('01993f60'), epochAt('01993f61'), epochAt('01993f62')];
const unordered = '0d9f8f86-2a2f-4f4e-9a49-0a1e7d2a4c10';

const channel: Channel = {
  adaptorUuid: 'a',
  downEpoch: present,
  downBase: 100,
  downSequence: 130,
  downAcked: 120,
  upEpoch: present,
  upApplied: 40,
};
const hello: Hello = { epoch: present, applied: 25, sendEpoch: present, sent: 60, acked: 40 };
const memory = { remembered: 130, isOther: false };
const missing = (said: Partial<Hello>, known: Partial<typeof memory> = {}, of: Partial<Channel> = {}) =>
  missingMessages({ ...channel, ...of }, { ...hello, ...said }, { ...memory, ...known });

describe('missing messages', () => {
  it('are none while the adaptor has acknowledged and applied what the database knows', () => {
    expect(missing({})).toEqual({ up: 0, down: 0 });
    expect(missing({ applied: 30, acked: 12 })).toEqual({ up: 0, down: 0 });
    // unacknowledged events are not missing
    expect(missing({ sent: 1_000 })).toEqual({ up: 0, down: 0 });
    expect(missingMessages(channel, { epoch: null, applied: 0, sendEpoch: null, sent: 0 }, memory)).toEqual({
      up: 0,
      down: 0,
    });
  });

  it.each<[string, Partial<Hello>, Partial<Channel>, number]>([
    ['acknowledged in the present sequence', { acked: 55 }, {}, 15],
    ['acknowledged in a later sequence', { sendEpoch: later, acked: 7 }, {}, 7],
    ['acknowledged, and the server does not know a sequence', { sendEpoch: unordered, acked: 7 }, { upEpoch: null }, 7],
    ['of an earlier sequence: the adaptor went back', { sendEpoch: earlier, acked: 7 }, {}, 0],
    ['of a sequence that cannot be ordered', { sendEpoch: unordered, acked: 7 }, {}, 0],
  ])('of the adaptor: %s', (_, said, of, up) => {
    expect(missing(said, {}, of)).toEqual({ up, down: 0 });
  });

  it.each<[string, Partial<Hello>, Partial<typeof memory>, number]>([
    ['applied beyond the outbox', { applied: 45 }, {}, 15],
    ['settled beyond the outbox', { applied: 20, settled: 45 }, {}, 15],
    ['beyond the outbox, with messages that were queued since', { applied: 45 }, { remembered: 110 }, 35],
    ['another message has the number', { applied: 25 }, { remembered: 110, isOther: true }, 15],
    ['another message has the number, and no count is known', { applied: 25 }, { isOther: true }, 1],
    ['applied in a later sequence', { epoch: later, applied: 9 }, {}, 9],
    ['applied in an earlier sequence: a new one has begun', { epoch: earlier, applied: 9 }, {}, 0],
  ])('to the adaptor: %s', (_, said, known, down) => {
    expect(missing(said, known)).toEqual({ up: 0, down });
  });

  it('may be hidden by messages that are in the outbox and not acknowledged', () => {
    const appliedMessage = { transactionUuid: unordered, drUuid: unordered };
    expect(mayNameOther(channel, hello)).toBe(false);
    expect(mayNameOther(channel, { ...hello, appliedMessage })).toBe(true);
    expect(mayNameOther(channel, { ...hello, appliedMessage, applied: 20 })).toBe(false);
    expect(mayNameOther(channel, { ...hello, appliedMessage, applied: 31 })).toBe(false);
    expect(mayNameOther(channel, { ...hello, appliedMessage, epoch: later })).toBe(false);
  });
});
