import type { AnsweredRecord, AssemblyRequest } from '@fds/adaptor-protocol';
import type { RequestShare } from '../bounds/answer-budget.js';

/** A question to one adaptor. */
export type Question = Omit<AssemblyRequest, 'requestUuid'>;

/** An adaptor's whole answer, its parts put together. Callers that ask the same share it: it must not be changed. */
export interface AdaptorAnswer {
  readonly records: readonly AnsweredRecord[];
  /** The timestamps of a timestamp search that all parts have next to their records. */
  readonly timestamps?: readonly number[] | undefined;
}

/** Asks adaptors for live data over the bus and waits for their answers. */
export interface AdaptorQuestions {
  /**
   * Asks, or joins the same question of another caller that is in flight. Waits until `signal` aborts: the time-out in
   * the question is for the adaptor.
   *
   * @param share memory for the answer; a failed answer gives its memory back
   * @throws AdaptorDown when the adaptor is known to be down, or goes down while it is asked
   * @throws AdaptorRefusal when the adaptor answers with an error, or with an answer that cannot be read or is too large
   * @throws the signal's reason when it is aborted first; a late answer is dropped
   */
  ask(adaptorUuid: string, question: Question, share: RequestShare, signal: AbortSignal): Promise<AdaptorAnswer>;
}

/** The adaptor answered with an error, or its answer cannot be taken. */
export class AdaptorRefusal extends Error {
  override readonly name = 'AdaptorRefusal';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The adaptor is down, or has failed so often that it counts as down. */
export class AdaptorDown extends Error {
  override readonly name = 'AdaptorDown';
}
