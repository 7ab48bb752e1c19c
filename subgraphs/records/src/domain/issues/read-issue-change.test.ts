import { describe, expect, it } from '@jest/globals';
import { FaultList } from '@fds/errors';
import { readIssueChange, type ChangedIssue, type IssueInput } from './read-issue-change.js';

const drUuid = '00000000-0000-4000-8000-000000000001';
const open: ChangedIssue = {
  status: 'OPEN',
  matchStatus: null,
  drUuid: null,
  issuePriority: 'HIGH',
  title: 'The fault',
  description: 'and why',
  changeVersion: 3,
  usualPriority: 'MEDIUM',
  retries: 'EVENT',
};
const match: ChangedIssue = { ...open, matchStatus: 'AMBIGUOUS', drUuid };
const closed: ChangedIssue = { ...match, status: 'CLOSED' };

/** The effect of a change, or its fault. */
const read = (issue: ChangedIssue, input: IssueInput, action: 'PUT' | 'PATCH' = 'PATCH') => {
  const faults = new FaultList();
  const change = readIssueChange(issue, { changeVersion: 3, ...input }, action, faults);
  const found = faults.causes.map(({ pointer, code }) => `${pointer} ${code}`);
  return found.length > 0 ? found : change;
};
const settlementOf = (issue: ChangedIssue, input: IssueInput): unknown => {
  const change = read(issue, input);
  return 'settlement' in change ? change.settlement : change;
};

describe('a change of an issue', () => {
  it('keeps in PATCH what is left out, and empties what is null', () => {
    const { title, issuePriority } = open;
    expect(read(open, { description: null })).toMatchObject({ texts: { title, issuePriority, description: null } });
    expect(read(open, { title: 'New', issuePriority: 'LOW' })).toMatchObject({
      texts: { title: 'New', issuePriority: 'LOW', description: 'and why' },
    });
  });

  it('is whole in PUT', () => {
    expect(read(open, { title: 'New' }, 'PUT')).toMatchObject({
      texts: { title: 'New', issuePriority: 'MEDIUM', description: null },
    });
    expect(read(open, {}, 'PUT')).toEqual(['/title REQUIRED']);
  });

  it('counts characters, and not their halves', () => {
    expect(read(open, { title: '😀'.repeat(255) })).toMatchObject({ settlement: { kind: 'NONE' } });
    expect(read(open, { title: '😀'.repeat(256) })).toEqual(['/title OUT_OF_RANGE']);
    expect(read(open, { title: 'a\u0000b' })).toEqual(['/title INVALID_CHARACTER']);
  });

  it('drops or retries what is closed', () => {
    expect(settlementOf(open, { status: 'CLOSED' })).toEqual({ kind: 'DROP' });
    expect(settlementOf(open, { status: 'CLOSED', retry: false })).toEqual({ kind: 'DROP' });
    expect(settlementOf(open, { status: 'CLOSED', retry: true })).toEqual({ kind: 'RETRY' });
    expect(settlementOf({ ...open, retries: 'DELIVERY' }, { status: 'CLOSED', retry: true })).toEqual({
      kind: 'RETRY',
    });
  });

  it.each<readonly [says: string, issue: ChangedIssue, input: IssueInput, faults: readonly string[]]>([
    ['a retry of an issue that stays open', open, { retry: true }, ['/retry NOT_ALLOWED']],
    ['a retry of a closed issue', closed, { status: 'CLOSED', retry: true }, ['/retry NOT_ALLOWED']],
    ['a retry of nothing', { ...open, retries: 'NONE' }, { status: 'CLOSED', retry: true }, ['/retry NOT_ALLOWED']],
    ['opening what is closed', closed, { status: 'OPEN' }, ['/status NOT_ALLOWED']],
    ['another match status', match, { matchStatus: 'PRESUMED_NEW' }, ['/matchStatus NOT_ALLOWED']],
    ['a match for an issue without one', open, { matchStatus: 'RESOLVED', drUuid }, ['/matchStatus NOT_ALLOWED']],
    ['a match of a closed issue', closed, { matchStatus: 'RESOLVED', drUuid }, ['/matchStatus NOT_ALLOWED']],
    ['a match without its record', match, { status: 'CLOSED', matchStatus: 'RESOLVED' }, ['/drUuid REQUIRED']],
    ['a match that stays open', match, { matchStatus: 'RESOLVED', drUuid }, ['/status REQUIRED']],
    ['another record alone', open, { drUuid }, ['/drUuid NOT_ALLOWED']],
  ])('does not do %s', (_, issue, input, faults) => {
    expect(read(issue, input)).toEqual(faults);
  });

  it('settles a match with a record, or with a new one', () => {
    const input = { status: 'CLOSED', matchStatus: 'RESOLVED' } as const;
    expect(settlementOf(match, { ...input, drUuid })).toEqual({ kind: 'SETTLE', settled: { drUuid } });
    expect(settlementOf(match, { ...input, drUuid: null })).toEqual({ kind: 'SETTLE', settled: { drUuid: null } });
  });

  it('ignores what the server sets when it is sent back', () => {
    expect(settlementOf(match, { status: 'OPEN', matchStatus: 'AMBIGUOUS', drUuid })).toEqual({ kind: 'NONE' });
    expect(settlementOf(closed, { status: 'CLOSED', matchStatus: 'AMBIGUOUS', drUuid })).toEqual({ kind: 'NONE' });
  });
});
