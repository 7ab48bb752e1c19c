import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { createLifetime } from './lifetime.js';
import { createLog } from './log.js';
import { runUntilSignal } from './run-until-signal.js';

const start = (deadlineMs: number) => {
  const signals = new EventEmitter();
  const lifetime = createLifetime();
  const codes: number[] = [];
  const exited = new Promise<void>((resolve) => {
    runUntilSignal({
      lifetime,
      log: createLog('silent'),
      deadlineMs,
      process: {
        on: (signal, listener) => signals.on(signal, listener),
        removeAllListeners: (signal) => signals.removeAllListeners(signal),
        exit: (code) => {
          codes.push(code);
          resolve();
        },
      },
    });
  });
  return { lifetime, codes, exited, send: (signal: 'SIGTERM' | 'SIGINT') => signals.emit(signal) };
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

  it('replaces what ended the process before, and tells that the end has begun', async () => {
    const signals = new EventEmitter();
    const codes: number[] = [];
    signals.on('SIGTERM', () => codes.push(143));
    const ended = new Promise<void>((resolve) => {
      const end = runUntilSignal({
        lifetime: createLifetime(),
        log: createLog('silent'),
        deadlineMs: 10_000,
        process: {
          on: (signal, listener) => signals.on(signal, listener),
          removeAllListeners: (signal) => signals.removeAllListeners(signal),
          exit: (code) => {
            codes.push(code);
            resolve();
          },
        },
      });
      expect(end.hasBegun).toBe(false);
      signals.emit('SIGTERM');
      expect(end.hasBegun).toBe(true);
    });
    await ended;
    expect(codes).toEqual([0]);
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
