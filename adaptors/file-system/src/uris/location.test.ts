import { describe, expect, it } from '@jest/globals';
import {
  formatLocation,
  isRelative,
  isWithin,
  parseLocation,
  relativeUri,
  resolveBelow,
  UriFault,
} from './location.js';

const base = parseLocation('file:///base/folder');

describe('parseLocation', () => {
  it.each([
    ['file:///a/b c#?.txt', 'file:///a/b c#?.txt'],
    ['file:///a/b%20c%23.txt', 'file:///a/b c#.txt'],
    ['file:/a/b', 'file:///a/b'],
    ['file://localhost/a', 'file:///a'],
    ['FILE:///a', 'file:///a'],
    ['/monitor/sources/', 'file:///monitor/sources'],
    ['file:///a//b/./c/../d', 'file:///a/b/d'],
    ['s3://bucket/a/b', 's3://bucket/a/b'],
    ['s3://bucket', 's3://bucket/'],
  ])('reads %s', (uri, expected) => {
    expect(formatLocation(parseLocation(uri))).toBe(expected);
  });

  it.each([
    'a/b',
    'file:///a%2Fb',
    'file:///a%252Fb',
    'file:///a%',
    'file:///a%zz',
    'file:///a%00b',
    'file:///a\u0000b',
    'file:///\ud800',
    'file:///..',
    'file:///a/%2e%2e/..',
    'file://host/a',
    'ftp://host/a',
    's3:///key',
    's3://Bucket/key',
    `file:///${'a/'.repeat(3_000)}`,
  ])('refuses %j', (uri) => {
    expect(() => parseLocation(uri)).toThrow(UriFault);
  });
});

describe('resolveBelow', () => {
  it.each([
    ['a.txt', 'file:///base/folder/a.txt'],
    ['x/../a.txt', 'file:///base/folder/a.txt'],
    ['./12:30.log', 'file:///base/folder/12:30.log'],
    ['12:30.log', 'file:///base/folder/12:30.log'],
    ['a%20b', 'file:///base/folder/a b'],
    ['..a/...', 'file:///base/folder/..a/...'],
    ['a\\..\\b', 'file:///base/folder/a\\..\\b'],
  ])('resolves %s', (uri, expected) => {
    expect(formatLocation(resolveBelow(base, uri))).toBe(expected);
  });

  it.each([
    '..',
    '../a',
    'a/../../b',
    '%2e%2e/a',
    '.%2E/a',
    'a%2F..%2F..%2Fb',
    '/etc/passwd',
    '',
    '.',
    'a/..',
    'a/',
    '%00',
  ])('refuses %j', (uri) => {
    expect(() => resolveBelow(base, uri)).toThrow(UriFault);
  });
});

describe('relativeUri', () => {
  it.each(['a.txt', 'c:/x', 'file:/etc/passwd', '12:30.log'])(
    'returns a relative URI that resolves to the name: %s',
    (path) => {
      expect(isRelative(relativeUri(path))).toBe(true);
      expect(resolveBelow(base, relativeUri(path)).segments.slice(2).join('/')).toBe(path);
    },
  );
});

describe('isWithin', () => {
  it.each([
    ['file:///base/folder', true],
    ['file:///base/folder/a', true],
    ['file:///base/folder2', false],
    ['file:///base', false],
    ['s3://base/folder/a', false],
  ])('%s: %s', (uri, expected) => {
    expect(isWithin(base, parseLocation(uri))).toBe(expected);
  });
});
