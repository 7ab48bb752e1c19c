import { describe, expect, it } from '@jest/globals';
import { compileFilter } from './compile-filter.js';
import type { Filter, FilterSubject } from './filter.js';

const file = (name: string, facts: Partial<FilterSubject> = {}): FilterSubject => ({
  name,
  kind: 'FILE',
  size: 10,
  modifiedMs: 1_000,
  canRead: () => true,
  ...facts,
});
const folder = (name: string): FilterSubject => file(name, { kind: 'FOLDER', size: 0 });
const isFile: Filter = { type: 'IS_FILE' };
const isFolder: Filter = { type: 'IS_DIRECTORY' };
const text: Filter = { type: 'SUFFIX', value: '.txt' };

describe('compileFilter', () => {
  it.each<[string, Filter, FilterSubject, boolean]>([
    ['AND of true and true', { type: 'AND', children: [isFile, text] }, file('a.txt'), true],
    ['AND of true and false', { type: 'AND', children: [isFile, text] }, file('a.csv'), false],
    ['OR of false and true', { type: 'OR', children: [isFolder, text] }, file('a.txt'), true],
    ['OR of false and false', { type: 'OR', children: [isFolder, text] }, file('a.csv'), false],
    ['NOT of false', { type: 'NOT', children: [text] }, file('a.csv'), true],
    ['NOT of true', { type: 'NOT', children: [text] }, file('a.txt'), false],
    ['IS_FILE of a file', isFile, file('a'), true],
    ['IS_FILE of a folder', isFile, folder('a'), false],
    ['IS_DIRECTORY of a file', isFolder, file('a'), false],
    ['IS_DIRECTORY of a folder', isFolder, folder('a'), true],
    ['MODIFIED_AFTER at the time itself', { type: 'MODIFIED_AFTER', value: 1_000 }, file('a'), false],
    ['MODIFIED_AFTER just later', { type: 'MODIFIED_AFTER', value: 1_000 }, file('a', { modifiedMs: 1_000.001 }), true],
    ['CAN_READ of a readable file', { type: 'CAN_READ' }, file('a'), true],
    ['CAN_READ of a file that cannot be read', { type: 'CAN_READ' }, file('a', { canRead: () => false }), false],
    ['HIDDEN of a dotted name', { type: 'HIDDEN' }, file('.a'), true],
    ['HIDDEN of a plain name', { type: 'HIDDEN' }, file('a.b'), false],
    ['VISIBLE of a dotted name', { type: 'VISIBLE' }, file('.a'), false],
    ['VISIBLE of a plain name', { type: 'VISIBLE' }, file('a'), true],
    ['REGEX that matches the whole name', { type: 'REGEX', value: '[a-z]+\\.txt' }, file('abc.txt'), true],
    ['REGEX that matches a part', { type: 'REGEX', value: '[a-z]+' }, file('abc.txt'), false],
    ['PREFIX', { type: 'PREFIX', value: 'ab' }, file('abc'), true],
    ['PREFIX of another name', { type: 'PREFIX', value: 'b' }, file('abc'), false],
    ['SUFFIX', text, file('a.txt'), true],
    ['SUFFIX of a folder', text, folder('a'), false],
    ['MINIMUM_SIZE at the size', { type: 'MINIMUM_SIZE', value: 10 }, file('a'), true],
    ['MINIMUM_SIZE above the size', { type: 'MINIMUM_SIZE', value: 11 }, file('a'), false],
    ['MINIMUM_SIZE of a folder', { type: 'MINIMUM_SIZE', value: 1 }, folder('a'), false],
    ['MAXIMUM_SIZE at the size', { type: 'MAXIMUM_SIZE', value: 10 }, file('a'), true],
    ['MAXIMUM_SIZE below the size', { type: 'MAXIMUM_SIZE', value: 9 }, file('a'), false],
    ['MAXIMUM_SIZE of a folder', { type: 'MAXIMUM_SIZE', value: 0 }, folder('a'), true],
    ['folders, and files with a suffix', { type: 'OR', children: [isFolder, text] }, folder('a'), true],
  ])('%s', (_, filter, subject, passes) => {
    expect(compileFilter(filter)(subject)).toBe(passes);
  });
});
