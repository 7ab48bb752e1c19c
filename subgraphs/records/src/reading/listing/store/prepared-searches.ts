import { hash } from 'node:crypto';
import type { SearchCondition } from '@fds/search-query';
import { LRUCache } from 'lru-cache';

/** Each connection keeps the statements prepared that run often, and deallocates those that no longer do. */
const maxPrepared = 64;
/** So often a search was asked for, among the last thousand different ones, before it is prepared. */
const oftenAsked = 10;
const maxPreparedBytes = 2 ** 19;
const maxAskedBytes = 2 ** 21;

/** Names the statements that connections are to keep prepared. Remembers a bounded number of texts, and of bytes. */
export interface PreparedSearches {
  /** The name of a statement that is asked for often; undefined: it is planned each time. */
  nameOf(text: string): string | undefined;
}

/** Memory that a text takes at most. */
const bytesOf = (text: string): number => 2 * text.length + 1;

export const createPreparedSearches = (): PreparedSearches => {
  const names = new LRUCache<string, string>({
    max: maxPrepared,
    maxSize: maxPreparedBytes,
    sizeCalculation: (_name, text) => bytesOf(text),
  });
  const asked = new LRUCache<string, number>({
    max: 1_000,
    maxSize: maxAskedBytes,
    sizeCalculation: (_times, text) => bytesOf(text),
  });
  return {
    nameOf: (text) => {
      const name = names.get(text);
      if (name !== undefined) return name;
      const times = (asked.get(text) ?? 0) + 1;
      if (times < oftenAsked) {
        asked.set(text, times);
        return undefined;
      }
      // counting starts again when another search has taken its place
      asked.delete(text);
      names.set(text, `records-search-${hash('sha1', text).slice(0, 32)}`);
      return undefined;
    },
  };
};

/**
 * Is there one plan that is right for all values of the search? With a single test on a value, or a beginning of it, an
 * index finds the rows whatever the value is. With several tests, the values determine which one finds few rows.
 */
export const hasOnePlan = (condition: SearchCondition | undefined): boolean => {
  if (condition?.kind !== 'test') return false;
  const { test } = condition;
  if (test.kind === 'equals' || test.kind === 'range') return true;
  if (test.kind !== 'wildcard') return false;
  const [first, second, third] = test.parts;
  const begins = first !== undefined && 'text' in first && second !== undefined && 'wild' in second;
  return begins && second.wild === '*' && third === undefined;
};
