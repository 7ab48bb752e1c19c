import { RE2JS, RE2JSException } from 're2js';

const maxPatternLength = 1_000;
const maxProgramSize = 500;

/** Longest text that a pattern reads, in UTF-16 units. No path or object key is longer. */
export const maxTextLength = 4_096;

/** A regular expression of the configuration, on an engine whose time grows linearly with the text. */
export interface LinearPattern {
  /** Does the whole text match? */
  matchesWhole(text: string): boolean;
  /** The replacement refers to groups as in JavaScript: `$1`, `$<name>`, `$&`, `$$`. */
  replace(text: string, replacement: string, occurrences: 'ALL' | 'FIRST'): string;
}

/**
 * Compiles a regular expression in the syntax of JavaScript. The engine supports no look-around and no back-references.
 *
 * @returns the pattern, or the reason why it cannot be used
 */
export const compileLinearPattern = (source: string): LinearPattern | { readonly fault: string } => {
  if (source.length > maxPatternLength) return { fault: `a pattern has at most ${maxPatternLength} characters` };
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
    if (pattern.programSize() > maxProgramSize) return { fault: 'the pattern is too large: use fewer repetitions' };
    return {
      matchesWhole: (text) => pattern.matcher(text).matches(),
      replace: (text, replacement, occurrences) =>
        occurrences === 'ALL'
          ? pattern.matcher(text).replaceAll(replacement)
          : pattern.matcher(text).replaceFirst(replacement),
    };
  } catch (error) {
    if (error instanceof RE2JSException) return { fault: `the pattern cannot be used: ${error.message}` };
    throw error;
  }
};
