import { describe, expect, it } from '@jest/globals';
import type { SqlClient, SqlSession } from '@fds/database';
import { inTurn, pipelined } from './record-session.js';

/** A database that answers when it is told to. */
const openAnswers = () => {
  const sent: string[] = [];
  const answers = new Map<string, () => void>();
  const query = (statement: { readonly text: string }): Promise<string> =>
    new Promise((resolve) => {
      sent.push(statement.text);
      answers.set(statement.text, () => resolve(`answer to ${statement.text}`));
    });
  const ask =
    (text: string): (() => Promise<string>) =>
    () =>
      query({ text });
  return { sent, ask, answer: (text: string) => answers.get(text)?.() };
};

const sql: SqlSession & Partial<SqlClient> = { query: () => Promise.reject(new TypeError('no statement is expected')) };

describe('a pipelined session of records', () => {
  it('sends every step before the first answer', async () => {
    const { sent, ask, answer } = openAnswers();
    const running = pipelined(sql).run({ one: ask('1'), two: ask('2') });
    expect(sent).toEqual(['1', '2']);
    answer('2');
    answer('1');
    expect(await running).toEqual({ one: 'answer to 1', two: 'answer to 2' });
  });

  it('returns from `send` before any statement is answered', async () => {
    const { sent, ask, answer } = openAnswers();
    const { answers } = await pipelined(sql).send({ one: ask('1'), two: ask('2') });
    expect(sent).toEqual(['1', '2']);
    answer('1');
    answer('2');
    expect(await answers).toEqual({ one: 'answer to 1', two: 'answer to 2' });
  });

  it('throws from `send` when a step fails before it sends its statement', async () => {
    const { ask } = openAnswers();
    const sending = pipelined(sql).send({
      one: ask('1'),
      broken: async () => {
        await Promise.resolve();
        throw new RangeError('a value that no statement takes');
      },
    });
    await expect(sending).rejects.toThrow('a value that no statement takes');
  });

  it('leaves no rejection unhandled when a statement fails after `send`', async () => {
    let fail: (error: Error) => void = () => undefined;
    const step = (): Promise<never> =>
      new Promise((_, reject) => {
        fail = reject;
      });
    const { answers } = await pipelined(sql).send({ step });
    fail(new Error('the database refuses it'));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(answers).rejects.toThrow('the database refuses it');
  });
});

describe('a session of records that waits for each answer', () => {
  it('sends a step after the answer to the step before', async () => {
    const { sent, ask, answer } = openAnswers();
    const running = inTurn(sql as SqlClient).run({ one: ask('1'), two: ask('2') });
    expect(sent).toEqual(['1']);
    answer('1');
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(['1', '2']);
    answer('2');
    expect(await running).toEqual({ one: 'answer to 1', two: 'answer to 2' });
  });

  it('sends no further step after one that fails', async () => {
    const { sent, ask } = openAnswers();
    const running = inTurn(sql as SqlClient).run({ one: () => Promise.reject(new Error('stale')), two: ask('2') });
    await expect(running).rejects.toThrow('stale');
    expect(sent).toEqual([]);
  });
});
