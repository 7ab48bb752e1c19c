import type { AnswerBound, AnswerLimits } from '../bounds/answer-budget.js';
import { retainedBytes } from '../bounds/retained-bytes.js';
import type { Verdict } from '../domain/circuit.js';
import { type AdaptorAnswer, AdaptorRefusal, type Question } from './adaptor-questions.js';
import type { AnswerDesk, Awaited } from './answer-desk.js';
import { type AnswerPart, type AnswerParts, createAnswerParts } from './answer-parts.js';
import type { QuestionMessage } from './question-messages.js';
import type { JoinedQuestion, WaitingCaller } from './waiting-caller.js';

/** One question to an adaptor, for all callers with the same question while it is in progress. */
export interface SharedQuestion extends JoinedQuestion {
  /** The question was answered, has failed, or has no waiting caller. */
  readonly isOver: boolean;
  /**
   * Only if the question is in its first half, and its time-out is as long as the caller's. Only while the question is
   * in its first half, and its time-out is as long as the caller's.
   */
  mayJoin(caller: Pick<WaitingCaller, 'deadlineMs'>): boolean;
  /** Ends the question for all callers, without a verdict on the adaptor. */
  fail(reason: unknown): void;
}

export interface SharedQuestionDependencies {
  readonly adaptorUuid: string;
  readonly question: Question;
  readonly messages: readonly QuestionMessage[];
  readonly desk: AnswerDesk;
  readonly limits: AnswerLimits;
  readonly onBoundHit: (bound: AnswerBound) => void;
  /** Called once when the outcome is known. A full time-out counts as FAILED. */
  readonly onVerdict: (outcome: Verdict['outcome']) => void;
  /** Called at half time with the callers that wait longer than the time-out in the message, if there are any. */
  readonly onHalfTime: (callers: readonly WaitingCaller[]) => void;
  /** Called when no caller waits for the answer any longer. */
  readonly onEnd: (question: SharedQuestion) => void;
  /** Monotonic clock. */
  readonly nowMs: () => number;
}

/** If a caller leaves within this margin before the time-out, the time-out is the reason. */
const timeoutMarginMs = (timeoutMs: number): number => Math.min(100, timeoutMs / 10);

const tooLarge = (bound: AnswerBound): AdaptorRefusal =>
  new AdaptorRefusal('ANSWER_TOO_LARGE', `the answer exceeds the bound ${bound}`);

/** Waits for the answers to messages that the caller of this function sends. */
export const openSharedQuestion = (dependencies: SharedQuestionDependencies): SharedQuestion => {
  const { adaptorUuid, question, messages, desk, limits, onBoundHit, onVerdict, onHalfTime, onEnd, nowMs } =
    dependencies;
  const timeoutMs = question.timeoutMilliseconds;
  const startedMs = nowMs();
  const deadlineMs = startedMs + timeoutMs;
  const halfTimeMs = startedMs + timeoutMs / 2;
  /** Waiting callers, with the memory that each was charged. */
  const callers = new Map<WaitingCaller, number>();
  const answers = new Map<string, AnswerParts>(messages.map(({ requestUuid }) => [requestUuid, createAnswerParts()]));
  let bytes = 0;
  let partCount = 0;
  let isOver = false;
  let halfTimer: NodeJS.Timeout | undefined;
  let verdictIsOut = false;

  const giveVerdict = (outcome: Verdict['outcome']): void => {
    if (verdictIsOut) return;
    verdictIsOut = true;
    onVerdict(outcome);
  };

  const end = (outcome: Verdict['outcome']): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(halfTimer);
    clearTimeout(timeoutTimer);
    for (const { requestUuid } of messages) desk.close(requestUuid);
    giveVerdict(outcome);
    onEnd(shared);
  };

  const endAll = (outcome: Verdict['outcome'], reason: unknown): void => {
    end(outcome);
    for (const [caller, charged] of callers) {
      callers.delete(caller);
      caller.share.giveBack(charged);
      caller.failed(shared, reason);
    }
  };

  const cut = (bound: AnswerBound): void => {
    onBoundHit(bound);
    endAll('NONE', tooLarge(bound));
  };

  const exceeds = (more: number): boolean => bytes + more > limits.maxAnswerBytes || partCount >= limits.maxAnswerParts;

  /** Charges a caller for memory. If its share has no room, only this caller fails. */
  const charge = (caller: WaitingCaller, more: number): void => {
    const bound = caller.share.take(more);
    if (bound === undefined) {
      callers.set(caller, (callers.get(caller) ?? 0) + more);
      return;
    }
    onBoundHit(bound);
    caller.share.giveBack(callers.get(caller) ?? 0);
    callers.delete(caller);
    caller.failed(shared, tooLarge(bound));
  };

  const answerOf = (): AdaptorAnswer => {
    const parts = [...answers.values()].flatMap((answer) => answer.inOrder());
    const timestamps = parts.flatMap((part) => part.timestamps ?? []);
    return {
      records: parts.flatMap(({ records }) => records),
      timestamps: parts.some((part) => part.timestamps !== undefined) ? timestamps : undefined,
    };
  };

  const settle = (): void => {
    end('ANSWERED');
    const answer = answerOf();
    for (const caller of callers.keys()) {
      callers.delete(caller);
      caller.answered(shared, answer);
    }
  };

  const take = (message: QuestionMessage, parts: AnswerParts, part: AnswerPart, payloadBytes: number): void => {
    if (!parts.isMissing(part.part)) return desk.countDropped('REPEATED_PART');
    const { wanted } = message;
    const records = part.records.filter(
      ({ drUuid }) => wanted === undefined || drUuid === undefined || wanted.has(drUuid.toLowerCase()),
    );
    if (records.length < part.records.length) desk.countDropped('UNASKED_RECORD');
    const kept = { ...part, records };
    const retained = retainedBytes(kept, payloadBytes);
    if (exceeds(retained) || part.part > limits.maxAnswerParts) return cut('assembly_answer');
    bytes += retained;
    partCount += 1;
    parts.add(kept);
    for (const caller of callers.keys()) charge(caller, retained);
    if (callers.size === 0) end('NONE');
    else if ([...answers.values()].every(({ isComplete }) => isComplete)) settle();
  };

  const awaitedOf = (message: QuestionMessage, parts: AnswerParts): Awaited => ({
    adaptorUuid,
    mayRead: (payloadBytes) => {
      if (!exceeds(payloadBytes)) return true;
      cut('assembly_answer');
      return false;
    },
    take: (part, payloadBytes) => take(message, parts, part, payloadBytes),
    refuse: (refusal) => endAll('FAILED', refusal),
  });

  const atHalfTime = (): void => {
    const later = [...callers.keys()].filter((caller) => caller.deadlineMs > deadlineMs);
    if (later.length > 0) onHalfTime(later);
  };

  const shared: SharedQuestion = {
    get isOver() {
      return isOver;
    },
    mayJoin: (caller) => {
      const now = nowMs();
      return !isOver && now < halfTimeMs && caller.deadlineMs - now <= timeoutMs;
    },
    join: (caller) => {
      callers.set(caller, 0);
      if (bytes > 0) charge(caller, bytes);
      if (callers.size === 0) end('NONE');
      else if (caller.deadlineMs > deadlineMs) halfTimer ??= setTimeout(atHalfTime, halfTimeMs - nowMs());
    },
    leave: (caller) => {
      const charged = callers.get(caller);
      if (charged === undefined) return;
      callers.delete(caller);
      caller.share.giveBack(charged);
      if (callers.size > 0) return;
      end(deadlineMs - nowMs() <= timeoutMarginMs(timeoutMs) ? 'FAILED' : 'NONE');
    },
    fail: (reason) => endAll('NONE', reason),
  };

  // an answer after this time is still used for callers that joined
  const timeoutTimer = setTimeout(() => giveVerdict('FAILED'), timeoutMs);
  for (const message of messages) {
    const parts = answers.get(message.requestUuid);
    if (parts !== undefined) desk.open(message.requestUuid, awaitedOf(message, parts));
  }
  return shared;
};
