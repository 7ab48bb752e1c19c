import type { ReleasePolicy } from '@fds/assembly-contract';
import { setMaxListeners } from 'node:events';
import { AdaptorDown } from '../bus/adaptor-questions.js';
import { isReleased } from '../domain/release-policy.js';
import type { AskedSource, Outcome, SentRecords, Source } from '../domain/source.js';
import type { StartTimer } from './start-timer.js';

/** A question to a source about its records. */
export interface Enquiry {
  readonly source: Source;
  readonly recordUuids: ReadonlySet<string>;
  /** The source is known to be down: it is not asked, and the policy does not wait for it. */
  readonly down: boolean;
}

/** A source and its answer so far. A source that is still PENDING when the gathering is over counts as late. */
export interface Gathered extends AskedSource {
  readonly milliseconds: number;
}

export interface GatherOptions {
  readonly policy: ReleasePolicy;
  readonly recordUuids: readonly string[];
  /** 0 means that the time is over, so that no source is asked. */
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
  readonly signal: AbortSignal;
  /** Asks one source. The signal aborts when the answer is no longer needed. */
  readonly ask: (enquiry: Enquiry, signal: AbortSignal) => Promise<SentRecords>;
  /** Called for every failure, for logging. */
  readonly onFailure: (source: Source, failure: unknown) => void;
}

interface Progress {
  readonly source: Source;
  readonly recordUuids: ReadonlySet<string>;
  outcome: Outcome;
  sent: SentRecords;
  milliseconds: number;
}

/** Questions in progress. The code that opens a gathering closes it. */
export interface Gathering {
  /** The current state of each source. The state no longer changes once the gathering is over. */
  gathered(): Gathered[];
  /** Has every source settled, or is the time over? */
  isOver(): boolean;
  /** Resolves when the policy releases the answer, at the latest at the time-out. @throws the signal's reason */
  released(): Promise<void>;
  /**
   * Resolves when a source settles that was not settled in `seen`, or when the gathering is over. @throws the signal's
   * reason
   */
  changed(seen: readonly Gathered[]): Promise<void>;
  /** Ends the questions without an answer. Idempotent. */
  close(): void;
}

const nothingSent: SentRecords = new Map();

const settledCount = (asked: readonly AskedSource[]): number =>
  asked.filter(({ outcome }) => outcome !== 'PENDING').length;

/** Asks all sources at once. */
export const openGathering = (enquiries: readonly Enquiry[], options: GatherOptions): Gathering => {
  const { policy, recordUuids, timeoutMs, startTimer, signal, ask, onFailure } = options;
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  const asked: Progress[] = enquiries.map(({ source, recordUuids: held, down }) => ({
    source,
    recordUuids: held,
    outcome: down ? 'DOWN' : 'PENDING',
    sent: nothingSent,
    milliseconds: 0,
  }));
  const over = new AbortController();
  // every question adds a listener
  setMaxListeners(0, over.signal);
  let endedAfterMs: number | undefined;
  const waiting = new Set<() => void>();

  const look = (): void => {
    for (const check of waiting) check();
  };
  const end = (): void => {
    endedAfterMs ??= elapsed();
    cancelTimer();
    signal.removeEventListener('abort', end);
    // abort creates an error, so it is called only if a question waits
    if (settledCount(asked) < asked.length) over.abort();
    look();
  };
  const cancelTimer = startTimer(end, timeoutMs);
  signal.addEventListener('abort', end, { once: true });

  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (!signal.aborted && endedAfterMs === undefined && !condition()) return;
        waiting.delete(check);
        if (signal.aborted) reject(signal.reason as Error);
        else resolve();
      };
      waiting.add(check);
      check();
    });

  const settle = (progress: Progress, outcome: Outcome, sent: SentRecords = nothingSent): void => {
    if (endedAfterMs !== undefined) return;
    Object.assign(progress, { outcome, sent, milliseconds: elapsed() });
    if (settledCount(asked) === asked.length) end();
    else look();
  };

  if (signal.aborted || timeoutMs <= 0 || settledCount(asked) === asked.length) end();
  for (const [index, progress] of asked.entries()) {
    const enquiry = enquiries[index];
    if (enquiry === undefined || progress.outcome === 'DOWN' || endedAfterMs !== undefined) continue;
    ask(enquiry, over.signal).then(
      (sent) => settle(progress, 'ANSWERED', sent),
      (failure: unknown) => {
        if (endedAfterMs !== undefined) return;
        if (failure instanceof AdaptorDown) {
          settle(progress, 'DOWN');
          return;
        }
        onFailure(progress.source, failure);
        settle(progress, 'FAILED');
      },
    );
  }

  return {
    gathered: () =>
      asked.map((progress) => ({
        ...progress,
        milliseconds: progress.outcome === 'PENDING' ? (endedAfterMs ?? elapsed()) : progress.milliseconds,
      })),
    isOver: () => endedAfterMs !== undefined,
    released: () => until(() => isReleased(policy, asked, recordUuids)),
    changed: (seen) => until(() => settledCount(asked) > settledCount(seen)),
    close: end,
  };
};

/**
 * Asks all sources at once. It resolves when the policy releases the answer, at the latest at the time-out.
 *
 * @throws the signal's reason when the caller disconnects
 */
export const gatherAnswers = async (enquiries: readonly Enquiry[], options: GatherOptions): Promise<Gathered[]> => {
  const gathering = openGathering(enquiries, options);
  try {
    await gathering.released();
    return gathering.gathered();
  } finally {
    gathering.close();
  }
};
