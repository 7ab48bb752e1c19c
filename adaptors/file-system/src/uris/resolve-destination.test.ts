import { describe, expect, it } from '@jest/globals';
import { destinationMetadata } from '../configuration/destination-metadata.js';
import { formatLocation } from './location.js';
import { resolveDestination } from './resolve-destination.js';

interface Rule {
  readonly baseUri?: string;
  readonly allowRelativeUri?: boolean;
  readonly filterRegex?: string;
  readonly rewriteRules?: readonly unknown[];
}

const outcome = (uri: string, rule: Rule): string => {
  const metadata = destinationMetadata.parse({
    type: 'destination',
    sourceUris: ['file:///in'],
    destinations: [{ domain: 'file', version: '1', destinations: [{ baseUri: 'file:///out', ...rule }] }],
  });
  const [parsed] = metadata.destinations[0]?.destinations ?? [];
  if (parsed === undefined) throw new Error('no destination');
  const resolution = resolveDestination(uri, parsed);
  return resolution.outcome === 'RESOLVED' ? formatLocation(resolution.target) : resolution.outcome;
};

const relative: Rule = { allowRelativeUri: true };

describe('resolveDestination', () => {
  it.each<[string, string, Rule, string]>([
    ['a relative URI', 'a/b.txt', relative, 'file:///out/a/b.txt'],
    ['a relative URI that is not allowed', 'a/b.txt', {}, 'REFUSED'],
    ['an absolute URI below the base', 'file:///out/a', {}, 'file:///out/a'],
    ['an absolute URI in another folder', 'file:///etc/passwd', relative, 'REFUSED'],
    ['the base itself', 'file:///out', relative, 'REFUSED'],
    ['a folder with the same beginning', 'file:///outside/a', relative, 'REFUSED'],
    ['an absolute path', '/etc/passwd', relative, 'REFUSED'],
    ['an absolute path below the base', '/out/a', relative, 'file:///out/a'],
    ['a filter that matches the whole URI', 'a.txt', { ...relative, filterRegex: '.*\\.txt' }, 'file:///out/a.txt'],
    ['a filter that matches a part', 'a.txt', { ...relative, filterRegex: 'a' }, 'FILTERED'],
    [
      'a filter before rewriting',
      'a.txt',
      { ...relative, filterRegex: 'b\\.txt', rewriteRules: [{ findRegex: 'a', replaceRegex: 'b' }] },
      'FILTERED',
    ],
    [
      'several rules in order',
      'a-a',
      {
        ...relative,
        rewriteRules: [
          { findRegex: 'a', replaceRegex: 'b' },
          { findRegex: 'b', replaceRegex: 'c', replaceAll: false },
        ],
      },
      'file:///out/c-b',
    ],
    [
      'a rule whose filter does not match',
      'a.txt',
      { ...relative, rewriteRules: [{ filterRegex: '.*\\.csv', findRegex: 'a', replaceRegex: 'b' }] },
      'file:///out/a.txt',
    ],
    [
      'groups',
      '2026-11-23.log',
      { ...relative, rewriteRules: [{ findRegex: '(\\d+)-(\\d+)-(\\d+)', replaceRegex: '$1/$2/$3' }] },
      'file:///out/2026/11/23.log',
    ],
    [
      'a relative URI that rewriting makes absolute',
      'a.txt',
      { rewriteRules: [{ findRegex: '^', replaceRegex: 'file:///out/new/' }] },
      'file:///out/new/a.txt',
    ],
    [
      'an absolute URI that rewriting makes relative',
      'file:///elsewhere/a.txt',
      { ...relative, rewriteRules: [{ findRegex: '^file:///elsewhere/', replaceRegex: '' }] },
      'file:///out/a.txt',
    ],
    [
      'rewriting that leads above the base',
      'x__etc',
      { ...relative, rewriteRules: [{ findRegex: 'x__', replaceRegex: '../' }] },
      'REFUSED',
    ],
    ['..', '../a', relative, 'REFUSED'],
    ['an escaped ..', '%2e%2e/a', relative, 'REFUSED'],
    ['an escaped separator', '..%2fa', relative, 'REFUSED'],
    ['.. inside an absolute URI', 'file:///out/../etc/passwd', relative, 'REFUSED'],
    ['a NUL', 'a\u0000', relative, 'REFUSED'],
    ['a URI that is too long', 'a'.repeat(5_000), relative, 'REFUSED'],
    [
      'rewriting that makes the URI too long',
      'a'.repeat(1_000),
      {
        ...relative,
        rewriteRules: Array.from({ length: 40 }, () => ({ findRegex: '^', replaceRegex: '$&b'.repeat(300) })),
      },
      'REFUSED',
    ],
  ])('%s', (_, uri, rule, expected) => {
    expect(outcome(uri, rule)).toBe(expected);
  });
});
