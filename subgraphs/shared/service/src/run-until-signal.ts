import type { Drain } from './drain.js';
import type { Lifetime } from './lifetime.js';
import type { Log } from './log.js';

/** The part of `process` that it needs. */
interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}

export interface RunOptions {
  readonly lifetime: Lifetime;
  /** Undefined: the log is not open yet, and nothing is logged. */
  readonly log: () => Log | undefined;
  /** Runs at SIGTERM before the closing. SIGINT, which a person sends, closes at once. */
  readonly drain?: Drain;
  /** Milliseconds that closing may take after the drain. Then the process ends anyway, with exit code 1. */
  readonly deadlineMs: number;
  /** Default: this process. */
  readonly process?: SignalSource;
}

/** A process that ends at a signal. */
interface SignalledEnd {
  /** Did a signal arrive? A failure after it comes from the closing. */
  readonly hasBegun: boolean;
}

/** A signal may arrive again within this time, because another process hands it on. */
const handedOnMs = 500;

/**
 * Ends the process at SIGTERM or SIGINT: drains after SIGTERM, closes the lifetime, then exits with 0; with 1 when a step of closing fails or
 * the deadline passes. A second signal ends it at once, with 1. The same signal within half a second is not a second one:
 * npm, shells and terminals repeat a signal that the process received already.
 */
export const runUntilSignal = ({
  lifetime,
  log,
  drain,
  deadlineMs,
  process: source = process,
}: RunOptions): SignalledEnd => {
  let first: { readonly signal: string; readonly at: number } | undefined;

  const end = async (signal: string): Promise<void> => {
    log()?.info({ signal }, 'closing');
    if (signal === 'SIGTERM') await drain?.run();
    const deadline = setTimeout(() => {
      log()?.error({ deadlineMs }, 'closing takes too long, the process ends now');
      source.exit(1);
    }, deadlineMs);
    try {
      await lifetime.close();
      clearTimeout(deadline);
      log()?.info('closed');
      source.exit(0);
    } catch (error) {
      clearTimeout(deadline);
      log()?.error({ err: error }, 'closing failed');
      source.exit(1);
    }
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    source.on(signal, () => {
      if (first !== undefined) {
        if (first.signal === signal && performance.now() - first.at < handedOnMs) return;
        log()?.warn({ signal }, 'second signal, the process ends now');
        source.exit(1);
        return;
      }
      first = { signal, at: performance.now() };
      void end(signal);
    });
  }
  return {
    get hasBegun() {
      return first !== undefined;
    },
  };
};
