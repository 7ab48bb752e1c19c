import { createLog } from '@fds/service';
import { v7 as newUuid } from 'uuid';
import {
  createAnswerBudget,
  defaultAnswerLimits,
  type AnswerBound,
  type AnswerBudget,
  type AnswerLimits,
} from '../bounds/answer-budget.js';
import type { AdaptorAnswer, AdaptorQuestions, Question } from '../bus/adaptor-questions.js';
import type { DropReason } from '../bus/answer-desk.js';
import { createCircuits, type Circuits } from '../bus/circuits.js';
import { createAdaptorQuestions, type FanOutMeter } from '../bus/create-adaptor-questions.js';
import type { CircuitSettings } from '../domain/circuit.js';
import { createWireBus, type HeardQuestion, type WireBus } from './wire-bus.js';

type QuestionWay = Parameters<FanOutMeter['countQuestion']>[0];

/** The end of a question: an answer, an error (its code or name), or 'PENDING'. */
type Ending = AdaptorAnswer | string;

/** A caller's question that a test observes. */
export interface Asking {
  readonly ending: Ending;
  readonly share: ReturnType<AnswerBudget['open']>;
  /** Aborts like the engine at the time-out, or when the policy releases the answer. */
  abort(): void;
}

interface AskedBy {
  readonly adaptorUuid?: string;
  readonly callerUuid?: string;
  /** Called when the question has ended. */
  readonly onEnd?: () => void;
}

export interface OpenedQuestions extends WireBus {
  readonly questionsOfAdaptors: AdaptorQuestions;
  readonly circuits: Circuits;
  readonly budget: AnswerBudget;
  readonly ways: QuestionWay[];
  readonly dropped: DropReason[];
  readonly boundHits: AnswerBound[];
  ask(question?: Partial<Question>, asked?: AskedBy): Asking;
}

export const adaptorUuid = newUuid();

const questionFor = (changes: Partial<Question> = {}): Question => ({
  domain: 'person',
  version: 1,
  domainVersionUuid: '0199d0a0-0000-7000-8000-000000000001',
  records: [{ drUuid: '0199d0a0-0000-7000-8000-000000000002', drKey: { id: 1 } }],
  requestedProperties: null,
  timeoutMilliseconds: 10_000,
  ...changes,
});

/** Questions to adaptors that the test simulates. */
export const openQuestions = (
  options: {
    readonly limits?: Partial<AnswerLimits>;
    readonly circuitSettings?: Partial<CircuitSettings>;
    readonly hear?: (question: HeardQuestion) => void;
  } = {},
): OpenedQuestions => {
  const wire = createWireBus(options.hear);
  const budget = createAnswerBudget({ ...defaultAnswerLimits, ...options.limits });
  const nowMs = (): number => performance.now();
  const [ways, dropped, boundHits]: [QuestionWay[], DropReason[], AnswerBound[]] = [[], [], []];
  const circuits = createCircuits({
    settings: { failures: 3, coolDownMs: 1_000, ...options.circuitSettings },
    nowMs,
    onChange: () => undefined,
  });
  const questionsOfAdaptors = createAdaptorQuestions({
    bus: wire.bus,
    circuits,
    limits: budget.limits,
    onBoundHit: (bound) => void boundHits.push(bound),
    meter: { countQuestion: (way) => void ways.push(way), countDropped: (reason) => void dropped.push(reason) },
    log: createLog('silent'),
    now: () => new Date(),
    nowMs,
    newUuid: () => newUuid(),
  });
  return {
    ...wire,
    questionsOfAdaptors,
    circuits,
    budget,
    ways,
    dropped,
    boundHits,
    ask: (question = {}, asked = {}) => {
      const share = budget.open(asked.callerUuid ?? 'ada');
      const over = new AbortController();
      let ending: Ending = 'PENDING';
      const end = (how: Ending): void => {
        ending = how;
        asked.onEnd?.();
      };
      questionsOfAdaptors
        .ask(asked.adaptorUuid ?? adaptorUuid, questionFor(question), share, over.signal)
        .then(end, (error: Error & { code?: string }) => end(error.code ?? error.name));
      return {
        get ending() {
          return ending;
        },
        share,
        abort: () => over.abort(Object.assign(new Error('over'), { name: 'Aborted' })),
      };
    },
  };
};
