import { describe, expect, it } from '@jest/globals';
import { createAnswerBudget } from './answer-budget.js';

const create = () =>
  createAnswerBudget({
    maxAnswerBytes: 10,
    maxAnswerParts: 10,
    maxRequestBytes: 20,
    maxCallerBytes: 30,
    maxTotalBytes: 50,
  });

describe('an answer budget', () => {
  it('limits a request, and takes nothing when it refuses', () => {
    const share = create().open('ada');
    expect([share.take(15), share.take(6), share.take(5), share.take(1)]).toEqual([
      undefined,
      'assembly_request',
      undefined,
      'assembly_request',
    ]);
  });

  it('limits the requests of a caller, without an effect on other callers', () => {
    const budget = create();
    const [first, second, other] = [budget.open('ada'), budget.open('ada'), budget.open('bob')];
    expect([first.take(20), second.take(11), second.take(10), other.take(20)]).toEqual([
      undefined,
      'assembly_caller',
      undefined,
      undefined,
    ]);
  });

  it('limits all requests together', () => {
    const budget = create();
    for (const caller of ['ada', 'bob']) budget.open(caller).take(20);
    const third = budget.open('eve');
    expect([third.take(11), third.take(10)]).toEqual(['assembly_total', undefined]);
  });

  it('can use memory that is given back, and counts it once', () => {
    const budget = create();
    const share = budget.open('ada');
    share.take(20);
    share.giveBack(15);
    expect(share.take(15)).toBeUndefined();
    share.close();
    share.close();
    const next = [budget.open('ada'), budget.open('ada')];
    expect([next[0]?.take(20), next[1]?.take(11), next[1]?.take(10)]).toEqual([
      undefined,
      'assembly_caller',
      undefined,
    ]);
  });
});
