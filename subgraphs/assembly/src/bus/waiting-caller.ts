import type { RequestShare } from '../bounds/answer-budget.js';
import type { AdaptorAnswer } from './adaptor-questions.js';

/** A question in the view of the callers that wait for it. */
export interface JoinedQuestion {
  /** Charges the parts of the answer that have arrived to the caller. */
  join(caller: WaitingCaller): void;
  /** Gives the caller's memory back. Has no effect if the caller does not wait for the question. */
  leave(caller: WaitingCaller): void;
}

/** A caller that waits for the answer of one adaptor. If it joined several questions, the first one to end counts. */
export interface WaitingCaller {
  readonly share: RequestShare;
  /** When it stops waiting, on the clock of the questions. */
  readonly deadlineMs: number;
  waitFor(question: JoinedQuestion): void;
  /** The memory of the answer stays charged to the share. */
  answered(question: JoinedQuestion, answer: AdaptorAnswer): void;
  /** The question has ended, and its memory was given back. */
  failed(question: JoinedQuestion, reason: unknown): void;
}

export interface WaitingCallerOptions {
  readonly share: RequestShare;
  readonly deadlineMs: number;
  /** Ends the waiting of this caller only. */
  readonly signal: AbortSignal;
}

/**
 * Waits for an answer. `begin` joins the questions.
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
