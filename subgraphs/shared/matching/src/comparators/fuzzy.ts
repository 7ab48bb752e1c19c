import { distance } from 'fastest-levenshtein';
import { exactly, isLong, textOf, type Comparator } from './comparator.js';
import { foldText } from './fold-text.js';
import { askedAtMost, askedSegments, storedSegments } from './fuzzy-segments.js';

interface FuzzyText {
  readonly text: string;
  readonly long: boolean;
}

/** Folded texts that so many insertions, deletions and replacements turn into each other. */
export const fuzzy = (maxEdits: number): Comparator<FuzzyText> => ({
  read: (value) => {
    const raw = textOf(value);
    if (isLong(raw)) return { text: exactly(raw), long: true };
    const text = foldText(raw);
    return text === '' ? undefined : { text, long: isLong(text) };
  },
  holds: (source, destination) => {
    if (source.text === destination.text) return true;
    if (source.long || destination.long) return false;
    if (Math.abs(source.text.length - destination.text.length) > maxEdits) return false;
    return distance(source.text, destination.text) <= maxEdits;
  },
  stored: ({ text, long }) => (long ? [text] : storedSegments(text, maxEdits)),
  asked: ({ text, long }) => (long ? [text] : askedSegments(text, maxEdits)),
  cost: { stored: maxEdits + 1, asked: askedAtMost(maxEdits) },
});
