import { describe, expect, it } from '@jest/globals';
import { ConfigurationFault, parseFileSystemMetadata } from './file-system-metadata.js';

const path = { domain: 'file', version: '1', uri: 'file:///in' };
const source = { type: 'source', paths: [path] };
const destination = {
  type: 'destination',
  sourceUris: ['file:///in'],
  destinations: [{ domain: 'file', version: '1', destinations: [{ baseUri: 'file:///out' }] }],
};

const faultsOf = (metadata: unknown): readonly string[] => {
  try {
    parseFileSystemMetadata(metadata);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults;
    throw error;
  }
};
const withFilter = (filter: unknown): unknown => ({ ...source, paths: [{ ...path, filter }] });
const withRule = (rule: unknown): unknown => ({ ...source, paths: [{ ...path, destinationRewriteRules: [rule] }] });

describe('parseFileSystemMetadata', () => {
  it('fills in the defaults of a source', () => {
    expect(parseFileSystemMetadata(source)).toMatchObject({
      type: 'source',
      queueSize: 0,
      scanIntervalSeconds: 10,
      paths: [{ version: 1, writeToIntermediate: false, intermediateRewriteRules: [], destinationRewriteRules: [] }],
    });
  });

  it('fills in the defaults of a destination', () => {
    expect(parseFileSystemMetadata(destination)).toMatchObject({
      type: 'destination',
      destinations: [{ version: 1, destinations: [{ allowRelativeUri: false, rewriteRules: [] }] }],
    });
  });

  it('replaces all occurrences by default', () => {
    expect(parseFileSystemMetadata(withRule({ findRegex: 'a', replaceRegex: 'b' }))).toMatchObject({
      paths: [{ destinationRewriteRules: [{ replaceAll: true }] }],
    });
  });

  it.each<[string, unknown, string]>([
    ['no metadata', {}, 'metadata/type'],
    ['an unknown type', { type: 'both' }, 'metadata/type'],
    ['an unknown key', { ...source, depth: 1 }, 'metadata: '],
    ['no paths', { type: 'source', paths: [] }, 'metadata/paths'],
    ['a negative queue', { ...source, queueSize: -1 }, 'metadata/queueSize'],
    ['no interval', { ...source, scanIntervalSeconds: 0 }, 'metadata/scanIntervalSeconds'],
    ['a relative folder', { ...source, paths: [{ ...path, uri: 'in' }] }, 'metadata/paths/0/uri'],
    ['an unknown scheme', { ...source, paths: [{ ...path, uri: 'ftp://host/in' }] }, 'metadata/paths/0/uri'],
    ['a version that is not a number', { ...source, paths: [{ ...path, version: 'x' }] }, 'metadata/paths/0/version'],
    ['the same folder twice', { ...source, paths: [path, { ...path, version: 1 }] }, 'metadata/paths/1'],
    [
      'no base for intermediate copies',
      { ...source, paths: [{ ...path, writeToIntermediate: true }] },
      'metadata/paths/0/baseIntermediateUri',
    ],
    [
      'intermediate copies in the monitored folder',
      { ...source, paths: [{ ...path, writeToIntermediate: true, baseIntermediateUri: 'file:///in/copies' }] },
      'metadata/paths/0/baseIntermediateUri',
    ],
    ['an unknown filter', withFilter({ type: 'XOR' }), 'metadata/paths/0/filter/type'],
    ['AND without children', withFilter({ type: 'AND', children: [] }), 'metadata/paths/0/filter/children'],
    [
      'NOT with two children',
      withFilter({ type: 'NOT', children: [{ type: 'IS_FILE' }, { type: 'HIDDEN' }] }),
      'metadata/paths/0/filter/children',
    ],
    ['an unusable value of a filter', withFilter({ type: 'IS_FILE', value: 1 }), 'metadata/paths/0/filter'],
    ['a size as text', withFilter({ type: 'MINIMUM_SIZE', value: '1' }), 'metadata/paths/0/filter/value'],
    [
      'a broken pattern, deep inside',
      withFilter({ type: 'NOT', children: [{ type: 'REGEX', value: '(' }] }),
      'metadata/paths/0/filter/children/0/value',
    ],
    ['a back-reference', withRule({ findRegex: '(a)\\1', replaceRegex: '' }), '/destinationRewriteRules/0/findRegex'],
    ['a rule without replacement', withRule({ findRegex: 'a' }), '/destinationRewriteRules/0/replaceRegex'],
    ['a destination without sources', { ...destination, sourceUris: [] }, 'metadata/sourceUris'],
  ])('names the place of %s', (_, metadata, place) => {
    expect(faultsOf(metadata)).toEqual(expect.arrayContaining([expect.stringContaining(place)]));
  });

  it('refuses filters that nest too deep', () => {
    let filter: unknown = { type: 'IS_FILE' };
    for (let depth = 0; depth < 40; depth += 1) filter = { type: 'NOT', children: [filter] };
    expect(faultsOf(withFilter(filter))).toHaveLength(1);
  });
});
