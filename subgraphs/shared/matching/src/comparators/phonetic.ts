import { doubleMetaphone } from 'double-metaphone';
import { exactly, isLong, textOf, type Comparator } from './comparator.js';
import { foldText } from './fold-text.js';

/** A word's first and second code by Double Metaphone; a word without a code (digits, other scripts) represents itself. */
const codesOf = (word: string): readonly [string, string] => {
  const [first, second] = doubleMetaphone(word);
  return first === '' ? [word, word] : [first, second];
};

/** Texts whose words sound alike, one after the other: by their first codes, their second codes, or one of each. */
export const phonetic: Comparator<readonly string[]> = {
  read: (value) => {
    const raw = textOf(value);
    if (isLong(raw)) return [exactly(raw)];
    const text = foldText(raw);
    if (text === '') return undefined;
    const words = text.split(' ').map(codesOf);
    const [first, second] = [words.map(([code]) => code).join(' '), words.map(([, code]) => code).join(' ')];
    return first === second ? [first] : [first, second];
  },
  holds: (source, destination) => source.some((code) => destination.includes(code)),
  stored: (codes) => codes,
  asked: (codes) => codes,
  cost: { stored: 2, asked: 2 },
};
