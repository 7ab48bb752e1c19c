import type { ReleasePolicy } from '@fds/assembly-contract';
import type { AdaptorAnswer } from '../bus/adaptor-questions.js';
import { isReleased } from '../domain/release-policy.js';
import type { AskedSource, Outcome, Source } from '../domain/source.js';

/** A source to ask, and the records it holds. */
export interface Enquiry {
  readonly source: Source;
  readonly recordUuids: ReadonlySet<string>;
  /** Known to be down: not asked and not waited for. */
  readonly down: boolean;
}

/** A source after the answer was released; PENDING means it was late. */
export interface Gathered extends AskedSource {
  readonly answer: AdaptorAnswer | undefined;
  readonly milliseconds: number;
}

export interface GatherOptions {
  readonly policy: ReleasePolicy;
  readonly recordUuids: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Asks one source; is aborted when its answer is not waited for any longer. */
  readonly ask: (enquiry: Enquiry, signal: AbortSignal) => Promise<AdaptorAnswer>;
  /** Told of every failure, for the log. */
  readonly onFailure: (source: Source, failure: unknown) => void;
}

interface Progress {
  readonly source: Source;
  readonly recordUuids: ReadonlySet<string>;
  outcome: Outcome;
  answer: AdaptorAnswer | undefined;
  milliseconds: number;
}

/**
 * Asks all sources at once and resolves when the policy releases the answer, at the time-out at the latest.
 *
 * @throws the signal's reason when the caller gives up
 */
export const gatherAnswers = async (enquiries: readonly Enquiry[], options: GatherOptions): Promise<Gathered[]> => {
  const { policy, recordUuids, timeoutMs, signal, ask, onFailure } = options;
  const startedAt = performance.now();
  const asked: Progress[] = enquiries.map(({ source, recordUuids: held, down }) => ({
    source,
    recordUuids: held,
    outcome: down ? 'DOWN' : 'PENDING',
    answer: undefined,
    milliseconds: 0,
  }));
  const over = new AbortController();
  const elapsed = (): number => Math.round(performance.now() - startedAt);

  await new Promise<void>((release, fail) => {
    const timer = setTimeout(release, timeoutMs);
    const giveUp = (): void => fail(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    over.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    });
    const look = (): void => {
      if (isReleased(policy, asked, recordUuids)) release();
    };
    for (const [index, progress] of asked.entries()) {
      const enquiry = enquiries[index];
      if (enquiry === undefined || progress.outcome === 'DOWN') continue;
      ask(enquiry, over.signal)
        .then(
          (answer) => {
            progress.answer = answer;
            progress.outcome = 'ANSWERED';
          },
          (failure: unknown) => {
            if (over.signal.aborted) return;
            progress.outcome = 'FAILED';
            onFailure(progress.source, failure);
          },
        )
        .finally(() => {
          progress.milliseconds = elapsed();
          look();
        });
    }
    look();
  }).finally(() => over.abort());

  return asked.map((progress) => ({
    ...progress,
    milliseconds: progress.outcome === 'PENDING' ? elapsed() : progress.milliseconds,
  }));
};
