import { describe, expect, it } from '@jest/globals';
import { createUncommittedBytes } from './uncommitted-bytes.js';

const messageBytes = 256 * 1024;
const never = new Promise<never>(() => undefined);

/** Takes messages of an adaptor until there is no room; returns their number. */
const fill = (uncommitted: ReturnType<typeof createUncommittedBytes>, adaptorUuid: string): number => {
  let taken = 0;
  while (uncommitted.hasRoomFor(adaptorUuid, messageBytes)) {
    uncommitted.hold(adaptorUuid, messageBytes, never);
    taken += 1;
  }
  return taken;
};

describe('the bytes of uncommitted events', () => {
  it('are bounded for one adaptor and for all adaptors together', () => {
    const uncommitted = createUncommittedBytes();
    const taken = Array.from({ length: 5 }, (_, index) => fill(uncommitted, `adaptor-${index}`));
    // 64 MiB of each adaptor and 256 MiB in all; the fifth adaptor has room for one message
    expect(taken).toEqual([256, 256, 256, 256, 1]);
  });

  it('make room when the events are committed', async () => {
    const uncommitted = createUncommittedBytes(2 * messageBytes);
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    uncommitted.hold('a', messageBytes, committed);
    uncommitted.hold('b', messageBytes, never);
    expect(uncommitted.hasRoomFor('b', messageBytes)).toBe(false);
    commit();
    await committed;
    expect(uncommitted.hasRoomFor('b', messageBytes)).toBe(true);
  });
});
