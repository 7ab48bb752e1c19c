import type { RequestShare } from '../bounds/answer-budget.js';
import type { AdaptorAnswer } from './adaptor-questions.js';

/** A question as the callers that wait for it see it. */
export interface JoinedQuestion {
  /** Charges the parts of the answer that have arrived to the caller. */
  join(caller: WaitingCaller): void;
  /** Gives the caller's memory back. Without effect on a question that the caller does not wait for. */
  leave(caller: WaitingCaller): void;
}

/** A caller that waits for the answer of one adaptor: that of the first question to end, where it joined several. */
export interface WaitingCaller {
  readonly share: RequestShare;
  /** When it stops to wait, on the clock of the questions. */
  readonly deadlineMs: number;
  waitFor(question: JoinedQuestion): void;
  /** The memory of the answer stays charged to the share. */
  answered(question: JoinedQuestion, answer: AdaptorAnswer): void;
  /** The question is over, and its memory was given back. */
  failed(question: JoinedQuestion, reason: unknown): void;
}

export interface WaitingCallerOptions {
  readonly share: RequestShare;
  readonly deadlineMs: number;
  /** Ends the waiting, of this caller alone. */
  readonly signal: AbortSignal;
}

/**
 * Waits for an answer: `begin` joins the questions.
 *
 * @returns rejects with the reason of the first question that failed, or when the signal aborts
 */
export const waitForAnswer = (
  { share, deadlineMs, signal }: WaitingCallerOptions,
  begin: (caller: WaitingCaller) => void,
): Promise<AdaptorAnswer> =>
  new Promise((resolve, reject) => {
    const questions = new Set<JoinedQuestion>();
    const leaveAll = (): void => {
      signal.removeEventListener('abort', giveUp);
      for (const question of questions) question.leave(caller);
      questions.clear();
    };
    const giveUp = (): void => {
      leaveAll();
      reject(signal.reason);
    };
    const caller: WaitingCaller = {
      share,
      deadlineMs,
      waitFor: (question) => {
        questions.add(question);
        question.join(caller);
      },
      answered: (question, answer) => {
        questions.delete(question);
        leaveAll();
        resolve(answer);
      },
      failed: (question, reason) => {
        questions.delete(question);
        leaveAll();
        reject(reason);
      },
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      begin(caller);
    } catch (error) {
      leaveAll();
      reject(error);
    }
  });
