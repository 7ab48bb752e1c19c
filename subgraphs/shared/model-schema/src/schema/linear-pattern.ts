import { RE2JS, RE2JSException } from 're2js';
import { translatePattern } from './translate-pattern.js';

/** Time of a match is at most the size of the pattern's program times the length of the text, so both are bounded. */
const maxPatternLength = 1000;
const maxProgramSize = 500;
const maxSteps = 5_000_000;

/** A user's regular expression on an engine whose time grows linearly with the text, for every pattern. */
export interface LinearPattern {
  /** Longest text, in UTF-16 units, that is tested against the pattern: some 10 000 and upward. */
  readonly maxLength: number;
  /** Unanchored, as JSON Schema has it. */
  test(text: string): boolean;
}

/**
 * Compiles a user's regular expression. Look-around and back-references do not exist on such an engine.
 *
 * @returns the pattern, or the sentence that says why it cannot be used
 */
export const compileLinearPattern = (source: string): LinearPattern | { readonly fault: string } => {
  if (source.length > maxPatternLength) return { fault: `a pattern has at most ${maxPatternLength} characters` };
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(translatePattern(source)));
    const size = pattern.programSize();
    if (size > maxProgramSize)
      return { fault: 'the pattern is too large: repeat less, or use minLength and maxLength' };
    return { maxLength: Math.floor(maxSteps / size), test: (text) => pattern.matcher(text).find() };
  } catch (error) {
    if (error instanceof RE2JSException) return { fault: `the pattern cannot be used: ${error.message}` };
    throw error;
  }
};
