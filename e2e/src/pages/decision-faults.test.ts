import { describe, expect, it } from '@jest/globals';
import { decisionFaults } from './decision-faults.js';

const first =
  '# 1. Tokens and keys\n\nDate: 2026-11-21. Status: accepted; includes 3.\n\nText.\n\n## Old keys\n\nText.\n';
const second = '# 2. Change log\n\nDate: 2026-11-22. Status: accepted.\n\nText.\n';
const topics = '- [1. Tokens and keys](0001-tokens-and-keys.md)\n- [2. Change log](0002-change-log.md)\n';
const merged = '\n## Merged decisions\n\n- 3 is in [1. Tokens and keys](0001-tokens-and-keys.md#old-keys)\n';

const faultsOf = ({ one = first, index = topics + merged, text = '' }): readonly string[] =>
  decisionFaults(
    index,
    new Map([
      ['0001-tokens-and-keys.md', one],
      ['0002-change-log.md', second],
    ]),
    [{ file: 'a.ts', text }],
  );

describe('faults of decisions', () => {
  it('are none when heads, index and citations are right', () => {
    const text = '(docs/decisions/0001-tokens-and-keys.md#old-keys, docs/decisions/0002-change-log.md)';
    expect(faultsOf({ text })).toEqual([]);
  });

  it.each([
    ['a title that is not the file name', { one: first.replace('Tokens', 'Names') }, 'a file 0001-names-and-keys.md'],
    ['a head without a date', { one: first.replace(/Date.*/, '') }, 'it begins with'],
    ['a file that the index lacks', { index: topics.replace(/^.*1\..*\n/, '') + merged }, 'is listed 0 times'],
    ['a file that is listed twice', { index: topics + topics + merged }, 'is listed 2 times'],
    ['a merged decision without a section', { one: first.replace('Old keys', 'Keys') }, 'decision 3 is not at'],
    [
      'a merged decision that the index lacks',
      { index: topics },
      'merged decision 3 of 0001-tokens-and-keys.md is missing',
    ],
    ['a status that does not name it', { one: first.replace('; includes 3', '') }, 'its status does not include 3'],
    ['a citation of a file that does not exist', { text: 'docs/decisions/0009-none.md' }, 'a.ts: there is no'],
    ['a citation of a heading that does not exist', { text: 'decisions/0002-change-log.md#x' }, 'a.ts: there is no'],
  ])('name %s', (_, given, fault) => {
    expect(faultsOf(given).join('\n')).toContain(fault);
  });
});
