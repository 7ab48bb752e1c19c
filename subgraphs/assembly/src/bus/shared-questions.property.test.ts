import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import { defaultAnswerLimits } from '../bounds/answer-budget.js';
import { openQuestions, type Asking } from '../testing/open-questions.js';
import type { HeardQuestion } from '../testing/wire-bus.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A caller that asks one of few questions, and may disconnect. Times in milliseconds. */
interface Caller {
  readonly atMs: number;
  readonly kind: number;
  readonly callerUuid: string;
  readonly timeoutMs: number;
  readonly hangsUpAfterMs: number | undefined;
}

/**
 * An adaptor that is blocked until some time. Then it answers each message a fixed time after its arrival, unless it
 * has expired.
 */
interface Adaptor {
  readonly stalledUntilMs: number;
  readonly workMs: number;
  /** Parts of an answer in the order in which they are sent; some are sent twice. */
  readonly partOrder: readonly number[];
  readonly failingKind: number;
}

const callers = fc.array(
  fc.record<Caller>({
    atMs: fc.integer({ min: 0, max: 3_000 }),
    kind: fc.integer({ min: 0, max: 2 }),
    callerUuid: fc.constantFrom('ada', 'bob', 'eve'),
    timeoutMs: fc.constantFrom(1_000, 1_500, 2_000),
    hangsUpAfterMs: fc.option(fc.integer({ min: 0, max: 1_500 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 20 },
);

const adaptors = fc.record<Adaptor>({
  stalledUntilMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_000 })),
  // at most half of the shortest time-out, which is what a joining caller can rely on
  workMs: fc.integer({ min: 1, max: 499 }),
  partOrder: fc.shuffledSubarray([1, 2, 3, 1, 3], { minLength: 5, maxLength: 5 }),
  failingKind: fc.integer({ min: 0, max: 5 }),
});

/** Time at which the adaptor has handled a message that arrives at a given time. */
const doneAtMs = ({ stalledUntilMs, workMs }: Adaptor, atMs: number): number => Math.max(atMs, stalledUntilMs) + workMs;

/** Precision of timers. */
const timerMs = 1;

const drUuids = [1, 2, 3].map((n) => `0199d0a0-0000-7000-8000-00000000000${n}`);

const run = async (asks: readonly Caller[], adaptor: Adaptor) => {
  const startMs = performance.now();
  const answer = (question: HeardQuestion): void => {
    const kind = Number(question.message.data.sort);
    if (kind === adaptor.failingKind) {
      opened.answer(question, { error: { code: 'NO', message: 'no' } });
      return;
    }
    for (const part of adaptor.partOrder)
      opened.answer(question, {
        part,
        last: part === 3,
        records: [{ drUuid: drUuids[part - 1] ?? '', drKey: { kind, part }, data: {} }],
      });
  };
  const opened = openQuestions({
    circuitSettings: { failures: 1_000_000 },
    hear: (question) => {
      const sentMs = performance.now() - startMs;
      const doneMs = doneAtMs(adaptor, sentMs);
      if (doneMs <= sentMs + question.message.data.timeoutMilliseconds)
        setTimeout(() => answer(question), doneMs - sentMs);
    },
  });
  const endedMs = new Map<Caller, number>();
  const askings = new Map<Caller, Asking>();
  for (const caller of asks) {
    const { atMs, kind, callerUuid, timeoutMs, hangsUpAfterMs = Infinity } = caller;
    setTimeout(() => {
      const records = drUuids.map((drUuid) => ({ drUuid, drKey: {} }));
      const asking = opened.ask(
        { sort: String(kind), records, timeoutMilliseconds: timeoutMs },
        { callerUuid, onEnd: () => endedMs.set(caller, performance.now() - startMs) },
      );
      askings.set(caller, asking);
      setTimeout(() => asking.abort(), Math.min(timeoutMs, hangsUpAfterMs));
    }, atMs);
  }
  await jest.advanceTimersByTimeAsync(6_000);
  return { opened, askings, endedMs };
};

/** Runs the questions and closes their shares. @returns the number of remaining timers */
const countLeftTimers = async (asks: readonly Caller[], adaptor: Adaptor): Promise<number> => {
  const before = jest.getTimerCount();
  const { askings } = await run(asks, adaptor);
  for (const asking of askings.values()) asking.share.close();
  return jest.getTimerCount() - before;
};

describe('questions that are shared at random', () => {
  it('give each caller the result that a separate question would give, once, and leave no timer or memory', async () => {
    await fc.assert(
      fc.asyncProperty(callers, adaptors, async (asks, adaptor) => {
        const { opened, askings, endedMs } = await run(asks, adaptor);
        for (const [caller, asking] of askings) {
          const { atMs, kind, timeoutMs, hangsUpAfterMs = Infinity } = caller;
          const leavesMs = atMs + Math.min(timeoutMs, hangsUpAfterMs);
          const ownMs = doneAtMs(adaptor, atMs);
          const end = endedMs.get(caller) ?? Infinity;
          expect(end).toBeLessThanOrEqual(leavesMs + timerMs);
          if (ownMs + timerMs < leavesMs) {
            expect(asking.ending).not.toBe('Aborted');
            expect(end).toBeLessThanOrEqual(ownMs + timerMs);
          }
          if (typeof asking.ending === 'object')
            expect(asking.ending.records.map(({ drKey }) => drKey)).toEqual([1, 2, 3].map((part) => ({ kind, part })));
          else expect(asking.ending).toBe(asking.ending === 'Aborted' ? 'Aborted' : 'NO');
          if (asking.ending === 'NO') expect(kind).toBe(adaptor.failingKind);
          asking.share.close();
        }
        expect(opened.questions.length).toBeLessThanOrEqual(2 * asks.length);
        expect(opened.budget.open('ada').take(defaultAnswerLimits.maxRequestBytes)).toBeUndefined();
        // The test files of a worker share modules, whose timers are counted too. Only questions leave timers in every
        // run.
        if (jest.getTimerCount() > 0) expect(await countLeftTimers(asks, adaptor)).toBe(0);
      }),
      { numRuns: casesOf(60) },
    );
  });

  it('are one message for all callers at the same moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), adaptors, async (count, adaptor) => {
        const caller = { atMs: 0, kind: 0, callerUuid: 'ada', timeoutMs: 2_000, hangsUpAfterMs: undefined };
        const { opened, askings } = await run(
          Array.from({ length: count }, () => ({ ...caller })),
          { ...adaptor, stalledUntilMs: 0 },
        );
        expect(opened.questions).toHaveLength(1);
        expect(askings.size).toBe(count);
      }),
      { numRuns: 50 },
    );
  });
});
