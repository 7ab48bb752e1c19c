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

describe('the count of issues by subject and cause', () => {
  const groups = [
    group('a', 3, ['REQUIRED', 'name']),
    group('a', 2, ['REQUIRED', 'name'], ['REQUIRED', 'born']),
    group('b', 1),
  ];

  it('counts an issue once for each different error if errors are grouped by code and property', () => {
    expect(fold(groups, 'CODE', 'PROPERTY')).toEqual([
      ['a', 'REQUIRED', 'name', 5],
      ['a', 'REQUIRED', 'born', 2],
      ['b', undefined, undefined, 1],
    ]);
  });

  it('counts an issue once if the grouping does not distinguish its errors', () => {
    expect(fold(groups, 'CODE')).toEqual([
      ['a', 'REQUIRED', undefined, 5],
      ['b', undefined, undefined, 1],
    ]);
    expect(fold(groups)).toEqual([
      ['a', undefined, undefined, 5],
      ['b', undefined, undefined, 1],
    ]);
  });

  it('contains the dates of the oldest and the newest issue', () => {
    const [first] = foldCauses(groups, new Set<IssueGrouping>(['CODE']), (subject) => subject);
    expect(first).toMatchObject({ openCount: 2n, oldest: new Date(2), newest: new Date(3), example: 'a2' });
  });
});
