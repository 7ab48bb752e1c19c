import { maxMaxEdits } from '../read-matching-algorithm.js';
import type { ComparatorName, Comparison } from '../matching-algorithm.js';
import { equality, exactly, isLong, textOf, type Comparator, type KeyValue } from './comparator.js';
import { foldCase, foldText } from './fold-text.js';
import { fuzzy } from './fuzzy.js';
import { phonetic } from './phonetic.js';
import { within } from './within.js';

/** Folded, or exact where it is long; undefined where nothing is left. */
const folded = (value: KeyValue, fold: (text: string) => string): string | undefined => {
  const text = textOf(value);
  if (isLong(text)) return exactly(text);
  return fold(text) || undefined;
};

const defaultMaxEdits = 2;

const creators: Readonly<
  Record<ComparatorName, (comparison: Comparison, form: 'DECIMAL' | 'PLAIN') => Comparator<unknown>>
> = {
  EXACT: () => equality((value) => `${typeof value === 'string' ? 'text' : 'other'} ${textOf(value)}`),
  IGNORE_CASE: () => equality((value) => (isLong(textOf(value)) ? exactly(textOf(value)) : foldCase(textOf(value)))),
  NORMALIZED: () => equality((value) => folded(value, foldText)),
  PREFIX: ({ length }) =>
    equality((value) =>
      folded(value, (text) =>
        Array.from(foldText(text))
          .slice(0, length ?? undefined)
          .join(''),
      ),
    ),
  FUZZY: ({ maxEdits }) => fuzzy(Math.min(maxEdits ?? defaultMaxEdits, maxMaxEdits)),
  PHONETIC: () => phonetic,
  WITHIN: ({ tolerance }, form) => within(tolerance ?? 0, form),
};

/** @param form DECIMAL: texts of the property are decimal numbers. Default PLAIN */
export const createComparator = (comparison: Comparison, form: 'DECIMAL' | 'PLAIN' = 'PLAIN'): Comparator<unknown> =>
  creators[comparison.comparator](comparison, form);
