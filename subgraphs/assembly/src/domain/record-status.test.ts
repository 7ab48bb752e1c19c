import { describe, expect, it } from '@jest/globals';
import type { AssembledStatus } from '@fds/assembly-contract';
import { recordStatus, type Holder, type HolderResult } from './record-status.js';

const preferred = (result: HolderResult): Holder => ({ result, isPreferred: true });
const other = (result: HolderResult): Holder => ({ result, isPreferred: false });

describe('recordStatus', () => {
  it.each<[string, Holder[], AssembledStatus]>([
    ['no source should hold it', [], 'UNAVAILABLE'],
    ['no source sent it', [preferred('MISSING'), other('MISSING')], 'UNAVAILABLE'],
    ['it is gone everywhere', [preferred('GONE'), other('GONE')], 'UNAVAILABLE'],
    ['it is gone from one, and the other did not send it', [preferred('GONE'), preferred('MISSING')], 'UNAVAILABLE'],
    ['every preferred source sent it', [preferred('WHOLE'), other('MISSING')], 'PREFERRED_COMPLETE'],
    ['it is gone from a preferred source', [preferred('GONE'), preferred('WHOLE')], 'PREFERRED_COMPLETE'],
    ['it is gone from all preferred sources', [preferred('GONE'), other('WHOLE')], 'PREFERRED_COMPLETE'],
    ['no preferred source holds it', [other('WHOLE'), other('MISSING')], 'PREFERRED_COMPLETE'],
    ['one of two preferred sources sent it', [preferred('WHOLE'), preferred('MISSING')], 'PREFERRED_PARTIAL'],
    ['the preferred source sent what can be taken in part', [preferred('PARTLY'), other('WHOLE')], 'PREFERRED_PARTIAL'],
    ['no preferred source sent it', [preferred('MISSING'), preferred('GONE'), other('WHOLE')], 'FALLBACK'],
    ['another source sent it partly', [preferred('MISSING'), other('PARTLY')], 'FALLBACK'],
  ])('%s', (_, holders, status) => {
    expect(recordStatus(holders)).toBe(status);
  });
});
