import { describe, expect, it } from '@jest/globals';
import { createServerClock } from './server-clock.js';

const at = (ms: number): string => new Date(ms).toISOString();

/** @param aheadMs how far this machine's clock is ahead of the server's */
const open = (aheadMs: number) => {
  let serverMs = 1_000_000;
  const clock = createServerClock(() => serverMs + aheadMs);
  return {
    clock,
    /** Receives a message that takes this long to arrive. */
    receive: (delayMs: number) => {
      const sentAt = at(serverMs);
      serverMs += delayMs;
      clock.hear(sentAt);
    },
    passesIn: (ms: number) => clock.hasPassed(at(serverMs + ms)),
  };
};

describe('the server clock', () => {
  it.each([0, 3_600_000, -3_600_000])("is correct when this machine's clock is %i ms ahead", (aheadMs) => {
    const { receive, passesIn } = open(aheadMs);
    receive(5);
    receive(2_000);
    expect([passesIn(-100), passesIn(100)]).toEqual([true, false]);
  });

  it("equals this machine's clock before the first message", () => {
    expect([open(0).passesIn(-1), open(0).passesIn(1)]).toEqual([true, false]);
  });

  it('drops old times of the server', () => {
    const server = open(0);
    server.clock.hear(at(1_000_000 + 60_000));
    expect(server.passesIn(-100)).toBe(true);
    for (let message = 0; message < 8; message += 1) server.receive(1);
    expect([server.passesIn(-100), server.passesIn(100)]).toEqual([true, false]);
  });
});
