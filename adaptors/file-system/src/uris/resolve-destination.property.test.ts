import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { posix } from 'node:path';
import { destinationMetadata } from '../configuration/destination-metadata.js';
import { formatLocation } from './location.js';
import { resolveDestination } from './resolve-destination.js';

interface Rewrite {
  readonly filterRegex?: string | undefined;
  readonly findRegex: string;
  readonly replaceRegex: string;
  readonly replaceAll: boolean;
}

interface Case {
  readonly uri: string;
  readonly allowRelativeUri: boolean;
  readonly filterRegex: string | undefined;
  readonly rewriteRules: readonly Rewrite[];
}

/** A naive implementation of the specification's paragraph, with JavaScript's own expressions and path functions. */
const oracle = ({ uri, allowRelativeUri, filterRegex, rewriteRules }: Case): string => {
  if (filterRegex !== undefined && !new RegExp(`^(?:${filterRegex})$`, 'u').test(uri)) return 'FILTERED';
  let text = uri;
  for (const { filterRegex: filter, findRegex, replaceRegex, replaceAll } of rewriteRules) {
    if (filter !== undefined && !new RegExp(`^(?:${filter})$`, 'u').test(text)) continue;
    text = text.replace(new RegExp(findRegex, replaceAll ? 'gu' : 'u'), replaceRegex);
  }
  let path: string;
  const scheme = /^([a-z][a-z0-9+.-]*):\//i.exec(text)?.[1];
  if (scheme !== undefined && scheme !== 'file') return 'REFUSED';
  if (text.startsWith('file:/')) path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
  else if (text.startsWith('/')) path = text;
  else if (allowRelativeUri) path = `/out/in/${text}`;
  else return 'REFUSED';
  const namesHost = /^file:\/\/[^/]/.test(text);
  if (namesHost || /%2f|%25|%00/i.test(path) || path.replace(/%[0-9a-f]{2}/gi, '').includes('%')) return 'REFUSED';
  const relative = !text.startsWith('file:/') && !text.startsWith('/');
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return 'REFUSED';
  }
  if (relative && decoded.endsWith('/')) return 'REFUSED';
  // no part of the path may lead above the base, even if a later part leads back
  let depth = 0;
  for (const segment of decoded.split('/').slice(relative ? 3 : 0)) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return 'REFUSED';
  }
  const normal = posix.normalize(decoded).replace(/\/$/, '');
  return normal.startsWith('/out/in/') ? `file://${normal}` : 'REFUSED';
};

const expected = (one: Case): string => {
  const { uri, ...rule } = one;
  const metadata = destinationMetadata.parse({
    type: 'destination',
    sourceUris: ['file:///in'],
    destinations: [{ domain: 'file', version: '1', destinations: [{ baseUri: 'file:///out/in', ...rule }] }],
  });
  const [parsed] = metadata.destinations[0]?.destinations ?? [];
  if (parsed === undefined) throw new Error('no destination');
  const resolution = resolveDestination(uri, parsed);
  return resolution.outcome === 'RESOLVED' ? formatLocation(resolution.target) : resolution.outcome;
};

const piece = fc.constantFrom(
  'a',
  'b',
  '.txt',
  '/',
  '..',
  '.',
  '%2e',
  '%2F',
  '%20',
  '%',
  ' ',
  'é',
  '\\',
  ':',
  'file:///',
  'out/in/',
  'out/',
  '/out/in/',
);
const uri = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
const pattern = fc.constantFrom(
  'a',
  'b+',
  '[ab]',
  '.*',
  '.+',
  '(a)(b)?',
  '/',
  '^',
  '\\.txt$',
  '.*\\.txt',
  'x',
  '(.*)/(.*)',
);
const rewrite = fc.record({
  filterRegex: fc.option(pattern, { nil: undefined }),
  findRegex: pattern,
  replaceRegex: fc.constantFrom('', 'b', '$1', '/', '../', '$&$&', '/out/in/', 'c', '$$'),
  replaceAll: fc.boolean(),
});

describe('resolveDestination', () => {
  it('agrees with a naive implementation of the specification', () => {
    fc.assert(
      fc.property(
        fc.record({
          uri,
          allowRelativeUri: fc.boolean(),
          filterRegex: fc.option(pattern, { nil: undefined }),
          rewriteRules: fc.array(rewrite, { maxLength: 3 }),
        }),
        (one) => {
          const [actual, wanted] = [expected(one), oracle(one)];
          if (actual !== wanted) throw new Error(`${actual} instead of ${wanted}`);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
