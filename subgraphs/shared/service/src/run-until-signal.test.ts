import { EventEmitter, once } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { createDrain } from './drain.js';
import { createLifetime } from './lifetime.js';
import { createLog, type Log } from './log.js';
import { runUntilSignal } from './run-until-signal.js';

const silent = createLog('silent');

const start = (deadlineMs: number, openedLog: () => Log | undefined = () => silent, drain = createDrain()) => {
  const signals = new EventEmitter();
  const lifetime = createLifetime();
  const codes: number[] = [];
  const ended = new EventEmitter();
  const exited = once(ended, 'exit');
  const end = runUntilSignal({
    lifetime,
    log: openedLog,
    drain,
    deadlineMs,
    process: {
      on: (signal, listener) => signals.on(signal, listener),
      exit: (code) => {
        codes.push(code);
        ended.emit('exit');
      },
    },
  });
  return { lifetime, end, codes, exited, send: (signal: 'SIGTERM' | 'SIGINT') => signals.emit(signal) };
};

describe('runUntilSignal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('closes at %s and exits with 0', async (signal) => {
    const { lifetime, codes, exited, send } = start(10_000);
    const closed: string[] = [];
    lifetime.onClose(() => void closed.push('bus'));
    send(signal);
    await exited;
    expect([codes, closed]).toEqual([[0], ['bus']]);
  });

  it('says whether the end has begun, and ends without a log', async () => {
    const { end, codes, exited, send } = start(10_000, () => undefined);
    expect(end.hasBegun).toBe(false);
    send('SIGTERM');
    expect(end.hasBegun).toBe(true);
    await exited;
    expect(codes).toEqual([0]);
  });

  it.each([
    ['SIGTERM', ['drain', 'bus']],
    ['SIGINT', ['bus']],
  ] as const)('drains at SIGTERM only: %s', async (signal, expected) => {
    const drain = createDrain();
    const { lifetime, codes, exited, send } = start(10_000, undefined, drain);
    const steps: string[] = [];
    drain.onBegin(() => steps.push('drain'));
    lifetime.onClose(() => void steps.push('bus'));
    send(signal);
    await exited;
    expect([codes, steps]).toEqual([[0], expected]);
  });

  it('exits with 1 when closing fails', async () => {
    const { lifetime, codes, exited, send } = start(10_000);
    lifetime.onClose(() => Promise.reject(new Error('stuck')));
    send('SIGTERM');
    await exited;
    expect(codes).toEqual([1]);
  });

  it('exits with 1 when the deadline passes', async () => {
    const { lifetime, codes, exited, send } = start(1);
    lifetime.onClose(() => new Promise(() => undefined));
    send('SIGTERM');
    await exited;
    expect(codes).toEqual([1]);
  });

  it('exits at once at the second signal, of either kind', () => {
    const { lifetime, codes, send } = start(10_000);
    const finish: (() => void)[] = [];
    lifetime.onClose(() => new Promise<void>((resolve) => void finish.push(resolve)));
    send('SIGINT');
    expect(codes).toEqual([]);
    send('SIGTERM');
    expect(codes).toEqual([1]);
    finish[0]?.();
  });

  it('takes the same signal within half a second as one, and exits at once at a later one', () => {
    jest.useFakeTimers();
    try {
      const { lifetime, codes, send } = start(10_000);
      const finish: (() => void)[] = [];
      lifetime.onClose(() => new Promise<void>((resolve) => void finish.push(resolve)));
      send('SIGTERM');
      jest.advanceTimersByTime(499);
      send('SIGTERM');
      expect(codes).toEqual([]);
      jest.advanceTimersByTime(1);
      send('SIGTERM');
      expect(codes).toEqual([1]);
      finish[0]?.();
    } finally {
      jest.useRealTimers();
    }
  });
});
