import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openQuestions, type Asking, type OpenedQuestions } from '../testing/open-questions.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settled = (): Promise<void> => jest.advanceTimersByTimeAsync(0);
const countOf = ({ questions }: OpenedQuestions): number => questions.length;
const answerTo = (questions: OpenedQuestions, index: number, more = {}): void => {
  const question = questions.questions[index];
  if (question === undefined) throw new Error(`there is no question ${index}`);
  questions.answer(question, more);
};
const isAnswered = ({ ending }: Asking): boolean => typeof ending === 'object';

describe('equal questions in progress', () => {
  it('are sent once, and all callers get the answer', async () => {
    const questions = openQuestions();
    const askings = Array.from({ length: 100 }, (_, caller) => questions.ask({}, { callerUuid: `caller ${caller}` }));
    expect(countOf(questions)).toBe(1);
    answerTo(questions, 0);
    await settled();
    expect(askings.every(isAnswered)).toBe(true);
    expect(questions.ways.filter((way) => way === 'SHARED')).toHaveLength(99);
    questions.ask();
    expect(countOf(questions)).toBe(2);
  });

  it.each([
    ['records', { records: [] }],
    ['requested properties', { requestedProperties: ['name'] }],
    ['additional parameters', { additionalParams: { timestamp: 1 } }],
    ['version', { version: 2 }],
    ['page', { page: 1 }],
    ['64-bit integers', { additionalParams: { id: 9223372036854775807n } }],
  ])('are not equal when %s differs for the adaptor', (_, change) => {
    const questions = openQuestions();
    questions.ask({ additionalParams: { id: 9223372036854775806n } });
    questions.ask({ additionalParams: { id: 9223372036854775806n }, ...change });
    expect(countOf(questions)).toBe(2);
  });

  it('must be for the same adaptor', () => {
    const questions = openQuestions();
    questions.ask();
    questions.ask({}, { adaptorUuid: '0199d0a0-0000-7000-8000-00000000000f' });
    expect(countOf(questions)).toBe(2);
  });

  it('continue when the first caller disconnects', async () => {
    const questions = openQuestions();
    const [first, second] = [questions.ask(), questions.ask()];
    first.abort();
    answerTo(questions, 0);
    await settled();
    expect([first.ending, isAnswered(second)]).toEqual(['Aborted', true]);
  });

  it('fail for all callers', async () => {
    const questions = openQuestions();
    const [first, second] = [questions.ask(), questions.ask()];
    answerTo(questions, 0, { error: { code: 'SOURCE', message: 'no' } });
    await settled();
    expect([first.ending, second.ending]).toEqual(['SOURCE', 'SOURCE']);
  });

  it('charge each caller, and only a caller without room fails', async () => {
    const limits = { maxCallerBytes: 10_000 };
    const questions = openQuestions({ limits });
    const [ada, bob] = [questions.ask(), questions.ask({}, { callerUuid: 'bob' })];
    bob.share.take(9_999);
    answerTo(questions, 0, { last: false });
    await settled();
    expect([ada.ending, bob.ending]).toEqual(['PENDING', 'ANSWER_TOO_LARGE']);
    expect(questions.boundHits).toEqual(['assembly_caller']);
    const eve = questions.ask({}, { callerUuid: 'eve' });
    const poor = questions.budget.open('poor');
    poor.take(9_999);
    const late = questions.ask({}, { callerUuid: 'poor' });
    answerTo(questions, 0, { part: 2, records: [] });
    await settled();
    expect([isAnswered(ada), isAnswered(eve), late.ending]).toEqual([true, true, 'ANSWER_TOO_LARGE']);
    expect(ada.share.take(9_999)).toBe('assembly_caller');
    expect(eve.share.take(9_999)).toBe('assembly_caller');
    expect(countOf(questions)).toBe(1);
  });
});

describe('a caller that could join a question', () => {
  it('sends another question when it waits longer than the question in progress', () => {
    const questions = openQuestions();
    questions.ask({ timeoutMilliseconds: 1_000 });
    questions.ask({ timeoutMilliseconds: 2_000 });
    questions.ask({ timeoutMilliseconds: 1_500 });
    expect(questions.questions.map(({ message }) => message.data.timeoutMilliseconds)).toEqual([1_000, 2_000]);
  });

  it('sends another question when half of the time-out is over', async () => {
    const questions = openQuestions();
    questions.ask();
    await jest.advanceTimersByTimeAsync(5_000);
    questions.ask();
    expect(countOf(questions)).toBe(2);
  });

  it('gets another question at half time, for the rest of its time', async () => {
    const questions = openQuestions();
    const first = questions.ask();
    await jest.advanceTimersByTimeAsync(2_000);
    const second = questions.ask();
    await jest.advanceTimersByTimeAsync(2_999);
    expect(countOf(questions)).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(questions.questions.map(({ message }) => message.data.timeoutMilliseconds)).toEqual([10_000, 7_000]);
    await jest.advanceTimersByTimeAsync(5_000);
    first.abort();
    answerTo(questions, 1);
    await settled();
    expect([first.ending, isAnswered(second)]).toEqual(['Aborted', true]);
  });

  it('gets the outcome of the question that ends first', async () => {
    const questions = openQuestions();
    const first = questions.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    const second = questions.ask();
    await jest.advanceTimersByTimeAsync(4_000);
    expect(countOf(questions)).toBe(2);
    answerTo(questions, 1, { error: { code: 'SOURCE', message: 'no' } });
    await settled();
    expect([first.ending, second.ending]).toEqual(['PENDING', 'SOURCE']);
    answerTo(questions, 0);
    await settled();
    expect(isAnswered(first)).toBe(true);
  });

  it('causes no second message when it does not wait beyond the time-out of the first', async () => {
    const questions = openQuestions();
    questions.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    questions.ask().abort();
    questions.ask({ timeoutMilliseconds: 9_000 });
    await jest.advanceTimersByTimeAsync(6_000);
    expect(countOf(questions)).toBe(1);
  });
});
