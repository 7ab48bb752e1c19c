import { AppError } from './app-error.js';
import { describe, expect, it } from '@jest/globals';
import { checkChangeVersion, requireNotStale } from './change-version.js';
import { FaultList } from './fault-list.js';

const codeOf = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof AppError ? [error.code, error.details] : error;
  }
};

const thrownBy = (faults: readonly string[], purpose?: 'check'): unknown => {
  const list = new FaultList(purpose);
  for (const code of faults) list.add('/name', code, 'detail');
  const thrown = codeOf(() => list.throwIfAny());
  return Array.isArray(thrown) ? thrown[0] : thrown;
};

describe('a list of faults', () => {
  it.each([
    [[], undefined],
    [['UNKNOWN_REFERENCE', 'UNKNOWN_REFERENCE'], 'UNKNOWN_REFERENCE'],
    [['CHANGE_VERSION_REQUIRED'], 'CHANGE_VERSION_REQUIRED'],
    [['UNKNOWN_REFERENCE', 'CHANGE_VERSION_REQUIRED'], 'VALIDATION_FAILED'],
    [['REQUIRED'], 'VALIDATION_FAILED'],
  ])('of %j ends in %s', (faults, code) => expect(thrownBy(faults)).toBe(code));

  it('ends a check in any case', () => expect(thrownBy([], 'check')).toBe('VALIDATION_FAILED'));
});

describe('a changeVersion', () => {
  it.each([5, 5n])('that is the present one starts a change: %s', (given) => {
    const faults = new FaultList();
    checkChangeVersion(given, 5, faults);
    requireNotStale(given, 5);
    expect(faults.causes).toEqual([]);
  });

  it('is required by changes, not by deletions', () => {
    const faults = new FaultList();
    checkChangeVersion(undefined, 5, faults);
    requireNotStale(undefined, 5);
    expect(faults.causes).toMatchObject([{ pointer: '/changeVersion', code: 'CHANGE_VERSION_REQUIRED' }]);
  });

  it('from another time is stale, and the message gives the present one', () => {
    const stale = ['STALE_CHANGE_VERSION', { currentChangeVersion: 5 }];
    expect(codeOf(() => checkChangeVersion(4, 5, new FaultList()))).toEqual(stale);
    expect(codeOf(() => requireNotStale(6n, 5))).toEqual(stale);
  });
});

it('keeps a bounded number of causes', () => {
  const faults = new FaultList();
  for (let index = 0; index < 5000; index += 1) faults.add(`/${index}`, 'WRONG', 'is wrong');
  expect(faults.causes).toHaveLength(1000);
});
