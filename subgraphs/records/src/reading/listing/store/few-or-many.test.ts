import { describe, expect, it } from '@jest/globals';
import { createFewOrMany } from './few-or-many.js';

const attempts = (statements: ReturnType<typeof createFewOrMany>, text: string, times: number): readonly boolean[] =>
  Array.from({ length: times }, () => statements.isWorthAnAttempt(text));

describe('statements for few rows', () => {
  it('are attempted until they find many, and again after 15 executions', () => {
    const statements = createFewOrMany();
    expect(attempts(statements, 'one', 3)).toEqual([true, true, true]);
    statements.foundMany('one');
    expect(attempts(statements, 'other', 1)).toEqual([true]);
    expect(attempts(statements, 'one', 17)).toEqual([...Array.from({ length: 15 }, () => false), true, true]);
  });

  it('are forgotten when 500 others have found many', () => {
    const statements = createFewOrMany();
    for (let n = 0; n <= 500; n += 1) statements.foundMany(`statement ${n}`);
    expect(attempts(statements, 'statement 0', 1)).toEqual([true]);
    expect(attempts(statements, 'statement 1', 1)).toEqual([false]);
  });

  it('take a bounded number of bytes', () => {
    const statements = createFewOrMany();
    statements.foundMany('small');
    statements.foundMany('x'.repeat(2 ** 19 - 2));
    expect(attempts(statements, 'small', 1)).toEqual([true]);
  });
});
