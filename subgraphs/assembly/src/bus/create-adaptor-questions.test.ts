import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { maxPayloadBytes } from '@fds/adaptor-protocol';
import { v7 as newUuid } from 'uuid';
import { adaptorUuid, type Asking, type OpenedQuestions, openQuestions } from '../testing/open-questions.js';
import type { HeardQuestion } from '../testing/wire-bus.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Runs the callbacks of settled promises. */
const settled = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

const theQuestion = ({ questions }: OpenedQuestions, index = 0): HeardQuestion => {
  const question = questions[index];
  if (question === undefined) throw new Error(`there is no question ${index}`);
  return question;
};

const idsOf = ({ ending }: Asking): unknown =>
  typeof ending === 'string' ? ending : ending.records.map(({ drKey }) => drKey['id']);

const record = (id: number) => ({ drUuid: newUuid(), drKey: { id } });
const answered = (one: ReturnType<typeof record>) => ({ ...one, data: { id: one.drKey.id } });

describe('an answer in parts', () => {
  const records = [1, 2, 3].map(record);
  const [first, second, third] = records.map(answered);
  const parts = [
    { part: 1, last: false, records: first === undefined ? [] : [first] },
    { part: 2, last: false, records: second === undefined ? [] : [second] },
    { part: 3, last: true, records: third === undefined ? [] : [third] },
  ];

  it.each([
    ['in order', [1, 2, 3]],
    ['out of order', [3, 1, 2]],
    ['repeated', [1, 1, 3, 3, 1, 2]],
  ])('is combined when the parts arrive %s, each once', async (_, order) => {
    const questions = openQuestions();
    const asking = questions.ask({ records });
    for (const number of order) {
      expect(asking.ending).toBe('PENDING');
      questions.answer(theQuestion(questions), parts[number - 1]);
    }
    await settled();
    expect(idsOf(asking)).toEqual([1, 2, 3]);
    expect(questions.dropped).toEqual(Array(order.length - 3).fill('REPEATED_PART'));
  });

  it('keeps waiting for a missing part, and gives its memory back when it is too late', async () => {
    const questions = openQuestions({ limits: { maxRequestBytes: 20_000 } });
    const asking = questions.ask({ records });
    questions.answer(theQuestion(questions), parts[0]);
    questions.answer(theQuestion(questions), parts[2]);
    await jest.advanceTimersByTimeAsync(9_999);
    expect(asking.ending).toBe('PENDING');
    expect(asking.share.take(19_999)).toBe('assembly_request');
    asking.abort();
    await settled();
    expect(asking.ending).toBe('Aborted');
    expect(asking.share.take(20_000)).toBeUndefined();
    questions.answer(theQuestion(questions), parts[1]);
    expect(questions.dropped).toEqual(['NOT_WAITED_FOR']);
  });

  it('fails as soon as a part contains an error', async () => {
    const questions = openQuestions();
    const asking = questions.ask({ records });
    questions.answer(theQuestion(questions), parts[0]);
    questions.answer(theQuestion(questions), { part: 2, error: { code: 'SOURCE', message: 'no connection' } });
    await settled();
    expect(asking.ending).toBe('SOURCE');
  });

  it('that cannot be read fails at once, is counted, and does not affect other questions', async () => {
    const questions = openQuestions();
    const [asking, other] = [questions.ask({ records }), questions.ask({ sort: 'id' })];
    const { requestUuid } = theQuestion(questions).message.data;
    questions.say(adaptorUuid, '{');
    questions.say(adaptorUuid, Buffer.from([0xff, 0xfe]));
    await settled();
    expect([asking.ending, other.ending]).toEqual(['PENDING', 'PENDING']);
    questions.say(adaptorUuid, `{"data":{"requestUuid":"${requestUuid}","part":`);
    await settled();
    expect([asking.ending, other.ending]).toEqual(['ANSWER_UNREADABLE', 'PENDING']);
    expect(questions.dropped).toEqual(['UNREADABLE', 'UNREADABLE', 'UNREADABLE']);
    questions.answer(theQuestion(questions, 1));
    await settled();
    expect(idsOf(other)).toEqual([1]);
  });

  it('cannot be read when the numbers of its parts do not start at 1', async () => {
    const questions = openQuestions();
    const asking = questions.ask({ records });
    questions.answer(theQuestion(questions), { part: 0 });
    await settled();
    expect(asking.ending).toBe('ANSWER_UNREADABLE');
  });
});

describe('an unexpected answer', () => {
  it('is dropped: from another adaptor, to another question, or after the end of the question', async () => {
    const questions = openQuestions();
    const asking = questions.ask();
    questions.answer(theQuestion(questions), {}, newUuid());
    questions.answer(theQuestion(questions), { requestUuid: newUuid() });
    await settled();
    expect(asking.ending).toBe('PENDING');
    asking.abort();
    questions.answer(theQuestion(questions));
    await settled();
    expect(asking.ending).toBe('Aborted');
    expect(questions.dropped).toEqual(['OTHER_ADAPTOR', 'NOT_WAITED_FOR', 'NOT_WAITED_FOR']);
  });

  it('is dropped in part: the records that the question does not name', async () => {
    const questions = openQuestions();
    const asked = record(1);
    const asking = questions.ask({ records: [asked] });
    // the engine finds this record by its key
    const unnamed = { drKey: { id: 3 }, data: {} };
    const upperCase = { ...answered(asked), drUuid: asked.drUuid.toUpperCase() };
    questions.answer(theQuestion(questions), { records: [answered(record(2)), upperCase, unnamed] });
    await settled();
    expect(idsOf(asking)).toEqual([1, 3]);
    expect(questions.dropped).toEqual(['UNASKED_RECORD']);
  });
});

describe('a question about many records', () => {
  it('is one message if it fits, and names the asking process', () => {
    const questions = openQuestions();
    questions.ask({ records: Array.from({ length: 1_000 }, (_, id) => record(id)) });
    expect(questions.questions).toHaveLength(1);
    expect(theQuestion(questions).message).toMatchObject({
      replyinstance: 'this-process',
      correlationid: theQuestion(questions).message.data.requestUuid,
    });
  });

  it('is split into messages that fit on the bus, and their answers are combined', async () => {
    const questions = openQuestions();
    const records = Array.from({ length: 1_000 }, (_, id) => ({
      ...record(id),
      drKey: { id, long: 'ü'.repeat(1_000) },
    }));
    const asking = questions.ask({ records });
    const sent = [...questions.questions];
    expect(sent.length).toBeGreaterThan(7);
    expect(sent.length).toBeLessThan(12);
    for (const { bytes } of sent) expect(bytes).toBeLessThanOrEqual(maxPayloadBytes);
    expect(sent.flatMap(({ message }) => message.data.records)).toEqual(records);
    for (const question of sent.toReversed()) {
      expect(asking.ending).toBe('PENDING');
      const half = Math.floor((question.message.data.records?.length ?? 0) / 2);
      const answers = (question.message.data.records ?? []).map((one) => ({ ...one, data: {} }));
      questions.answer(question, { part: 2, last: true, records: answers.slice(half) });
      questions.answer(question, { part: 1, last: false, records: answers.slice(0, half) });
    }
    await settled();
    expect(idsOf(asking)).toEqual(records.map(({ drKey }) => drKey.id));
  });

  it.each([
    ['a record', { records: [{ ...record(1), drKey: { id: 'x'.repeat(maxPayloadBytes) } }] }],
    ['additionalParams', { records: null, additionalParams: { x: 'x'.repeat(maxPayloadBytes) } }],
  ])('fails at once if %s does not fit', async (_, question) => {
    const questions = openQuestions();
    const asking = questions.ask(question);
    await settled();
    expect([asking.ending, questions.questions.length]).toEqual(['QUESTION_TOO_LARGE', 0]);
  });
});

describe('an adaptor that goes down', () => {
  it('fails its question at once, and is not asked while the catalog does not have its state yet', async () => {
    const questions = openQuestions();
    const [asking, elsewhere] = [questions.ask(), questions.ask({}, { adaptorUuid: newUuid() })];
    questions.report(adaptorUuid, 'DOWN');
    await settled();
    expect([asking.ending, elsewhere.ending]).toEqual(['AdaptorDown', 'PENDING']);
    const again = questions.ask();
    await settled();
    expect([again.ending, questions.questions.length]).toEqual(['AdaptorDown', 2]);
    questions.report(adaptorUuid, 'STARTING');
    expect(questions.ask().ending).toBe('PENDING');
    expect(questions.questions).toHaveLength(3);
  });

  it('is asked again after some time, even if it reported no other state', async () => {
    const questions = openQuestions();
    questions.report(adaptorUuid, 'DOWN');
    await jest.advanceTimersByTimeAsync(6_000);
    questions.ask();
    expect(questions.questions).toHaveLength(1);
  });
});

describe('the circuit of an adaptor', () => {
  const failOnce = async (questions: OpenedQuestions): Promise<void> => {
    questions.ask();
    questions.answer(theQuestion(questions, questions.questions.length - 1), { error: { code: 'NO', message: 'no' } });
    await settled();
  };

  it('opens after failures and full time-outs: the adaptor counts as down and is not asked', async () => {
    const questions = openQuestions();
    await failOnce(questions);
    await failOnce(questions);
    const late = questions.ask();
    await jest.advanceTimersByTimeAsync(10_000);
    late.abort();
    await settled();
    const refused = questions.ask();
    await settled();
    expect([late.ending, refused.ending, questions.questions.length]).toEqual(['Aborted', 'AdaptorDown', 3]);
    expect(questions.circuits.counts()).toEqual({ OPEN: 1, HALF_OPEN: 0 });
    expect(questions.ways).toEqual(['SENT', 'SENT', 'SENT', 'REFUSED']);
  });

  it('counts a time-out, no matter whether the caller or the question detects it first', async () => {
    const questions = openQuestions();
    for (let times = 0; times < 3; times += 1) {
      const late = questions.ask();
      await jest.advanceTimersByTimeAsync(9_999);
      late.abort();
    }
    expect(questions.circuits.counts().OPEN).toBe(1);
  });

  it('stays closed when callers did not wait for the answers', async () => {
    const questions = openQuestions();
    for (let times = 0; times < 10; times += 1) {
      const released = questions.ask();
      await jest.advanceTimersByTimeAsync(5_000);
      released.abort();
    }
    expect(questions.questions).toHaveLength(10);
    expect(questions.circuits.counts()).toEqual({ OPEN: 0, HALF_OPEN: 0 });
  });

  it('lets one question through after the cool-down, and closes when it is answered', async () => {
    const questions = openQuestions();
    for (let times = 0; times < 3; times += 1) await failOnce(questions);
    await jest.advanceTimersByTimeAsync(1_000);
    const [probe, refused] = [questions.ask(), questions.ask({ sort: 'id' })];
    await settled();
    expect([probe.ending, refused.ending]).toEqual(['PENDING', 'AdaptorDown']);
    questions.answer(theQuestion(questions, 3));
    await settled();
    expect(idsOf(probe)).toEqual([1]);
    expect(questions.circuits.counts()).toEqual({ OPEN: 0, HALF_OPEN: 0 });
  });

  it('closes when the adaptor restarts', async () => {
    const questions = openQuestions();
    for (let times = 0; times < 3; times += 1) await failOnce(questions);
    questions.report(adaptorUuid, 'STARTING');
    questions.ask();
    expect(questions.questions).toHaveLength(4);
  });

  it('that one caller opened is open for this caller only', async () => {
    const questions = openQuestions();
    for (let times = 0; times < 3; times += 1) await failOnce(questions);
    const [own, others] = [questions.ask(), questions.ask({}, { callerUuid: 'bob' })];
    await settled();
    expect([own.ending, others.ending]).toEqual(['AdaptorDown', 'PENDING']);
  });
});
