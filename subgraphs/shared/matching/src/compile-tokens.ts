import { hash } from 'node:crypto';
import type { JsonObject } from '@fds/json';
import type { CompiledComparison, CompiledComparisons, ReadKey } from './compiled-comparisons.js';

/** Tokens of a rule for a key. */
const maxStored = 16;
const maxAsked = 64;

/** Where candidates are found: a pair of keys that satisfies a rule has a token stored for the one and asked for the other. */
export interface Tokens {
  /** The same for algorithms that have the same tokens. */
  readonly fingerprint: string;
  stored(drKey: JsonObject): readonly bigint[];
  asked(drKey: JsonObject): readonly bigint[];
}

/** To be raised whenever tokens come out differently: those that are stored are then worked out again. */
const tokensVersion = 1;

/**
 * The comparisons that a rule's tokens are made of: as many as can be, those with the fewest parts first, since each of them
 * makes a token rarer.
 */
const chooseBlocking = (rule: readonly CompiledComparison[]): readonly CompiledComparison[] => {
  const chosen: CompiledComparison[] = [];
  let [stored, asked] = [1, 1];
  for (const comparison of [...new Set(rule)].toSorted((a, b) => a.comparator.cost.asked - b.comparator.cost.asked)) {
    const { cost } = comparison.comparator;
    if (chosen.length > 0 && (stored * cost.stored > maxStored || asked * cost.asked > maxAsked)) continue;
    chosen.push(comparison);
    stored *= cost.stored;
    asked *= cost.asked;
  }
  return chosen;
};

/** Every way to take one part of each list. */
const combine = (lists: readonly (readonly string[])[]): readonly string[] =>
  lists.reduce<readonly string[]>(
    (texts, list) => texts.flatMap((text) => list.map((part) => `${text}\n${part.length} ${part}`)),
    [''],
  );

const toToken = (text: string): bigint => hash('sha1', text, 'buffer').readBigInt64BE(0);

export const compileTokens = (
  comparisons: CompiledComparisons,
  rules: readonly (readonly CompiledComparison[])[],
): Tokens => {
  // rules that block on the same have the same tokens
  const blockings = new Map(
    rules.map(chooseBlocking).map((chosen) => {
      const ordered = chosen.toSorted((a, b) => (a.signature < b.signature ? -1 : 1));
      return [ordered.map(({ signature }) => signature).join(), ordered];
    }),
  );
  const tokens = (readKey: ReadKey, kind: 'stored' | 'asked'): readonly bigint[] => {
    const found = new Set<bigint>();
    for (const [signature, chosen] of blockings) {
      const lists = chosen.map((comparison) => {
        const read = readKey(comparison);
        return read === undefined ? [] : comparison.comparator[kind](read);
      });
      for (const text of combine(lists)) found.add(toToken(`${signature}${text}`));
    }
    return [...found];
  };
  return {
    fingerprint: hash('sha256', [tokensVersion, ...[...blockings.keys()].toSorted()].join('\n'), 'hex'),
    stored: (drKey) => tokens(comparisons.read(drKey), 'stored'),
    asked: (drKey) => tokens(comparisons.read(drKey), 'asked'),
  };
};
