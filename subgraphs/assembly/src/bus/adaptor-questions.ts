import type { AnsweredRecord, AssemblyRequest } from '@fds/adaptor-protocol';
import type { RequestShare } from '../bounds/answer-budget.js';

/** A question to one adaptor. */
export type Question = Omit<AssemblyRequest, 'requestUuid'>;

/**
 * The complete answer of an adaptor, combined from its parts. Callers with the same question share it, so it must not
 * be changed.
 */
export interface AdaptorAnswer {
  readonly records: readonly AnsweredRecord[];
  /** The timestamps that the parts of a timestamp search contain next to their records. */
  readonly timestamps?: readonly number[] | undefined;
}

/** Asks adaptors for live data over the bus, and waits for their answers. */
export interface AdaptorQuestions {
  /**
   * Sends a question, or joins the same question of another caller in progress. Waits until `signal` aborts. The
   * time-out in the question is meant for the adaptor.
   *
   * @param share memory for the answer. A failed answer gives its memory back
   * @throws AdaptorDown when the adaptor is known to be down, or goes down during the question
   * @throws AdaptorRefusal when the adaptor answers with an error, or its answer cannot be read or is too large
   * @throws the signal's reason when it aborts first. A late answer is dropped
   */
  ask(adaptorUuid: string, question: Question, share: RequestShare, signal: AbortSignal): Promise<AdaptorAnswer>;
}

/** The adaptor answered with an error, or its answer cannot be used. */
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
