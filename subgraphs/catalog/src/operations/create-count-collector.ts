import type { Log } from '@fds/service';
import type { Questions } from '../bus/create-questions.js';
import type { AdaptorCounts } from '../store/operations/adaptor-counts.js';

/** Fetches counts of adaptors that the server does not have yet. */
export interface CountCollector {
  /** @returns whether the adaptor answered */
  collect(adaptorUuid: string, requestId: string): Promise<boolean>;
  /** Fetches the counts of connected adaptors, unless a process has already done so during roughly the last interval. */
  collectAll(): Promise<void>;
}

export interface CountCollectorOptions {
  readonly questions: Pick<Questions, 'ask'>;
  readonly counts: Pick<AdaptorCounts, 'knownUntil' | 'save' | 'claimUnasked'>;
  /** Interval at which `collectAll` is called. */
  readonly everyMs: number;
  readonly log: Log;
  readonly newUuid: () => string;
}

/** The answers to 22 questions contain 30 days with events in every minute. */
const mostAnswers = 50;

export const createCountCollector = ({
  questions,
  counts,
  everyMs,
  log,
  newUuid,
}: CountCollectorOptions): CountCollector => {
  const collect = async (adaptorUuid: string, requestId: string): Promise<boolean> => {
    let since = await counts.knownUntil(adaptorUuid);
    for (let answers = 0; answers < mostAnswers; answers += 1) {
      const id = answers === 0 ? requestId : newUuid();
      const answer = await questions.ask(adaptorUuid, id, { operation: 'METRICS', since });
      if (answer?.metrics === undefined) return answers > 0;
      await counts.save(adaptorUuid, answer.metrics);
      const { history } = answer.metrics;
      // stops asking an adaptor that announces more counts but never advances
      if (history?.more !== true || history.until <= since) return true;
      since = history.until;
    }
    return true;
  };

  return {
    collect,
    collectAll: async () => {
      // slightly less than the interval, so that an adaptor is not skipped every other time
      const due = await counts.claimUnasked(everyMs * 0.9);
      await Promise.all(
        due.map((adaptorUuid) =>
          collect(adaptorUuid, newUuid()).catch((error: unknown) =>
            log.warn({ adaptorUuid, err: error }, 'the counts of an adaptor were not taken'),
          ),
        ),
      );
    },
  };
};
