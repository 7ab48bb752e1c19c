import { describe, expect, it } from '@jest/globals';
import { greetedAt, withHello, type Greeting } from './greetings.js';

const channel = { downEpoch: 'down', upEpoch: 'up' };
const helloAt = (applied: number, sent: number, epoch = 'down', sendEpoch = 'up') => ({
  epoch,
  applied,
  sendEpoch,
  sent,
});
const seenAt = (applied: number) => ({ epoch: 'down', applied, begun: applied });

describe('the position of events that were made before a hello', () => {
  it('is that of the first hello that covers the event, also when later hellos cover it', () => {
    const first = withHello([], channel, helloAt(3, 1), 0);
    const second = withHello(first, channel, helloAt(7, 2), 0);
    expect(greetedAt(second, 1)).toEqual(seenAt(3));
    expect(greetedAt(second, 2)).toEqual(seenAt(7));
    expect(greetedAt(second, 3)).toBeUndefined();
  });

  it('is forgotten once the event is taken, and with the sequence of the adaptor', () => {
    const first = withHello([], channel, helloAt(3, 1), 0);
    expect(withHello(first, channel, helloAt(9, 1), 1)).toEqual([]);
    expect(withHello(first, channel, helloAt(9, 1, 'down', 'other'), 0)).toEqual([]);
  });

  it('is not known in another epoch', () => {
    expect(greetedAt(withHello([], channel, helloAt(9, 1, 'old'), 0), 1)).toEqual({ epoch: 'down', applied: 0 });
  });

  it('needs a bounded memory, and then lies between two hellos', () => {
    let greetings: readonly Greeting[] = [];
    for (let sent = 1; sent <= 100; sent += 1) greetings = withHello(greetings, channel, helloAt(sent, sent), 0);
    expect(greetings).toHaveLength(32);
    expect(greetedAt(greetings, 1)).toEqual({ epoch: 'down', applied: 1, begun: 69 });
    expect(greetedAt(greetings, 100)).toEqual(seenAt(100));
  });
});
