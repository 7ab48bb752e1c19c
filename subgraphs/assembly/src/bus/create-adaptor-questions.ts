import type { ServerBus } from '@fds/adaptor-bus';
import { parseMessage } from '@fds/adaptor-protocol';
import type { Log } from '@fds/service';
import { LRUCache } from 'lru-cache';
import type { AnswerBound, AnswerLimits } from '../bounds/answer-budget.js';
import { AdaptorDown, type AdaptorQuestions, type Question } from './adaptor-questions.js';
import { createAnswerDesk, type DropReason } from './answer-desk.js';
import type { Circuits } from './circuits.js';
import { questionKey } from './question-key.js';
import { questionMessages } from './question-messages.js';
import { openSharedQuestion, type SharedQuestion, type SharedQuestionDependencies } from './shared-question.js';
import { waitForAnswer, type WaitingCaller } from './waiting-caller.js';

/**
 * The way in which a caller's question reached the adaptor. SENT: in messages; SHARED: by the messages of another
 * caller; REFUSED: not.
 */
type QuestionWay = 'SENT' | 'SHARED' | 'REFUSED';

/** Counts questions, and dropped answers. */
export interface FanOutMeter {
  countQuestion(way: QuestionWay): void;
  countDropped(reason: DropReason): void;
}

/** The part of the bus that carries questions and answers. */
export type QuestionBus = Pick<ServerBus, 'handle' | 'observe' | 'publish' | 'replyInstance'>;

export interface AdaptorQuestionsDependencies {
  readonly bus: QuestionBus;
  readonly circuits: Circuits;
  readonly limits: AnswerLimits;
  /** Called for each answer that a limit ends. */
  readonly onBoundHit: (bound: AnswerBound) => void;
  readonly meter: FanOutMeter;
  readonly log: Log;
  readonly now: () => Date;
  /** Monotonic clock. */
  readonly nowMs: () => number;
  readonly newUuid: () => string;
}

/** Time that this process remembers a DOWN from the bus. After this time the catalog has stored it. */
const rememberDownMs = 5_000;

/**
 * Handles the bus's `rsp` messages, and observes its `status` messages. Equal questions in progress are sent once. A
 * caller joins a question that is in the first half of its time-out and lasts as long as the caller waits. If a joined
 * question has no answer at half time, it is sent again for the callers that joined it.
 */
export const createAdaptorQuestions = (dependencies: AdaptorQuestionsDependencies): AdaptorQuestions => {
  const { bus, circuits, limits, onBoundHit, meter, log, now, nowMs, newUuid } = dependencies;
  const desk = createAnswerDesk({ bus, countDropped: (reason) => meter.countDropped(reason), log });
  /** The latest question for each key. */
  const youngest = new Map<string, SharedQuestion>();
  const inFlight = new Map<string, Set<SharedQuestion>>();
  const heardDown = new LRUCache<string, number>({ max: 10_000 });
  const isHeardDown = (adaptorUuid: string): boolean =>
    nowMs() - (heardDown.get(adaptorUuid) ?? -Infinity) < rememberDownMs;

  const track = (adaptorUuid: string, question: SharedQuestion): void => {
    const questions = inFlight.get(adaptorUuid);
    if (questions === undefined) inFlight.set(adaptorUuid, new Set([question]));
    else questions.add(question);
  };
  const forget = (adaptorUuid: string, question: SharedQuestion): void => {
    const questions = inFlight.get(adaptorUuid);
    questions?.delete(question);
    if (questions?.size === 0) inFlight.delete(adaptorUuid);
  };

  /** @throws AdaptorRefusal when the question does not fit on the bus */
  const send = (
    adaptorUuid: string,
    question: Question,
    callers: readonly WaitingCaller[],
    { onVerdict, onEnd }: Pick<SharedQuestionDependencies, 'onVerdict' | 'onEnd'>,
  ): SharedQuestion => {
    const messages = questionMessages(question, { sentAt: now(), replyInstance: bus.replyInstance, newUuid });
    const shared = openSharedQuestion({
      adaptorUuid,
      question,
      messages,
      desk,
      limits,
      onBoundHit,
      onVerdict,
      onHalfTime: (later) => {
        const longest = Math.max(...later.map(({ deadlineMs }) => deadlineMs));
        const timeoutMilliseconds = Math.max(1, Math.ceil(longest - nowMs()));
        // only the first question decides about the circuit
        const unheard = { onVerdict: () => undefined, onEnd: () => undefined };
        send(adaptorUuid, { ...question, timeoutMilliseconds }, later, unheard);
      },
      onEnd: (ended) => {
        forget(adaptorUuid, ended);
        onEnd(ended);
      },
      nowMs,
    });
    track(adaptorUuid, shared);
    for (const caller of callers) caller.waitFor(shared);
    for (const { payload } of messages)
      bus.publish(adaptorUuid, 'req', payload).catch((error: unknown) => shared.fail(error));
    return shared;
  };

  bus.observe('status', ({ adaptorUuid, payload }) => {
    const parsed = parseMessage('up/status', payload);
    if (!parsed.ok) return;
    const { state } = parsed.value.data;
    if (state === 'STARTING') circuits.reset(adaptorUuid);
    if (state !== 'DOWN') {
      heardDown.delete(adaptorUuid);
      return;
    }
    heardDown.set(adaptorUuid, nowMs());
    for (const question of inFlight.get(adaptorUuid) ?? [])
      question.fail(new AdaptorDown('the adaptor went down while it was asked'));
  });

  const begin = (adaptorUuid: string, question: Question, caller: WaitingCaller): void => {
    const { callerUuid } = caller.share;
    const admission = isHeardDown(adaptorUuid) ? 'REFUSED' : circuits.admit(adaptorUuid, callerUuid);
    if (admission === 'REFUSED') {
      meter.countQuestion('REFUSED');
      throw new AdaptorDown('the adaptor is down, or has failed too often');
    }
    const key = questionKey(adaptorUuid, question);
    const young = youngest.get(key);
    if (admission === 'ASKED' && young?.mayJoin(caller) === true) {
      meter.countQuestion('SHARED');
      return caller.waitFor(young);
    }
    meter.countQuestion('SENT');
    const sent = send(adaptorUuid, question, [caller], {
      onVerdict: (outcome) => circuits.settle(adaptorUuid, { outcome, admission, callerUuid }),
      onEnd: (ended) => {
        if (youngest.get(key) === ended) youngest.delete(key);
      },
    });
    if (!sent.isOver) youngest.set(key, sent);
  };

  return {
    ask: async (adaptorUuid, question, share, signal) => {
      signal.throwIfAborted();
      const deadlineMs = nowMs() + question.timeoutMilliseconds;
      return waitForAnswer({ share, deadlineMs, signal }, (caller) => begin(adaptorUuid, question, caller));
    },
  };
};
