import { describe, expect, it } from '@jest/globals';
import { foldCauses, type IssueGroup, type IssueGrouping } from './fold-causes.js';

const group = (subject: string, count: number, ...faults: readonly [string, string?][]): IssueGroup<string> => ({
  subject,
  faults: faults.map(([code, property]) => ({ code, property })),
  issueCount: BigInt(count),
  openCount: 1n,
  oldest: new Date(count),
  newest: new Date(count),
  example: `${subject}${count}`,
});

const fold = (groups: readonly IssueGroup<string>[], ...by: readonly IssueGrouping[]) =>
  foldCauses(groups, new Set(by), (subject) => subject).map(
    ({ subject, code, property, issueCount }) => [subject, code, property, Number(issueCount)] as const,
  );

describe('issues are counted', () => {
  const groups = [
    group('a', 3, ['REQUIRED', 'name']),
    group('a', 2, ['REQUIRED', 'name'], ['REQUIRED', 'born']),
    group('b', 1),
  ];

  it('once for each error that is told apart', () => {
    expect(fold(groups, 'CODE', 'PROPERTY')).toEqual([
      ['a', 'REQUIRED', 'name', 5],
      ['a', 'REQUIRED', 'born', 2],
      ['b', undefined, undefined, 1],
    ]);
  });

  it('once where errors are not told apart', () => {
    expect(fold(groups, 'CODE')).toEqual([
      ['a', 'REQUIRED', undefined, 5],
      ['b', undefined, undefined, 1],
    ]);
    expect(fold(groups)).toEqual([
      ['a', undefined, undefined, 5],
      ['b', undefined, undefined, 1],
    ]);
  });

  it('with the first and the last of them', () => {
    const [first] = foldCauses(groups, new Set<IssueGrouping>(['CODE']), (subject) => subject);
    expect(first).toMatchObject({ openCount: 2n, oldest: new Date(2), newest: new Date(3), example: 'a2' });
  });
});
