import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '@fds/auth';
import { describe, expect, it } from '@jest/globals';
import { createPlanningShare, type PlanningLimits } from './create-planning-share.js';

/** A share whose clock moves only while tasks run, or when the test advances it. */
const openShare = (limits: Partial<PlanningLimits> = {}) => {
  let nowMs = 0;
  let hits = 0;
  const done: string[] = [];
  const share = createPlanningShare({
    limits: { msPerSecond: 500, maxWaitingPerCaller: 3, maxWaitMs: 60_000, ...limits },
    clock: () => nowMs,
    onBoundHit: () => {
      hits += 1;
    },
  });
  const plan = (uuid: string, takesMs: number, signal?: AbortSignal) =>
    share.run({ principal: { uuid } as Principal, ...(signal && { signal }) }, () => {
      nowMs += takesMs;
      done.push(uuid);
    });
  return {
    plan,
    done,
    hits: () => hits,
    idle: (ms: number) => {
      nowMs += ms;
    },
  };
};

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

describe('the planning share', () => {
  it('runs one task in a turn of the event loop, and serves callers in turn', async () => {
    const { plan, done } = openShare();
    const all = [plan('a', 10), plan('a', 10), plan('a', 10), plan('b', 10), plan('b', 10)];
    expect(done).toEqual(['a']);
    await Promise.all(all);
    expect(done.join('')).toMatch(/^a(ab|ba){2}$/);
  });

  it('delays a caller that has used up its time, and no other caller', async () => {
    const { plan, done, idle } = openShare();
    await plan('a', 3000);
    const waiting = plan('a', 10);
    await turns(5);
    await plan('b', 10);
    expect(done).toEqual(['a', 'b']);
    idle(1100);
    const woken = plan('b', 10);
    await Promise.all([waiting, woken]);
    expect(done.filter((caller) => caller === 'a')).toHaveLength(2);
  });

  it('refuses a task that would wait too long, and counts it', async () => {
    const { plan, hits, idle } = openShare();
    await plan('a', 3000);
    const waiting = [plan('a', 1), plan('a', 1), plan('a', 1)];
    await expect(plan('a', 1)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(hits()).toBe(1);
    idle(10_000);
    await plan('b', 1);
    await Promise.all(waiting);
  });

  it('refuses a task that waits too long', async () => {
    const { plan, hits } = openShare({ maxWaitMs: 20 });
    await plan('a', 60_000);
    await expect(plan('a', 1)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(hits()).toBe(1);
  });

  it('drops a task whose caller has disconnected', async () => {
    const { plan, done } = openShare();
    await plan('a', 60_000);
    const gone = new AbortController();
    const waiting = plan('a', 1, gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(done).toEqual(['a']);
  });

  it('passes on the error of a task', async () => {
    const share = createPlanningShare();
    const failing = share.run({ principal: { uuid: 'a' } as Principal }, () => {
      throw new TypeError('broken');
    });
    await expect(failing).rejects.toThrow('broken');
  });
});
