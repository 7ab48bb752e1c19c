import { RE2JS, RE2JSException } from 're2js';

/** Longer patterns are refused: time and memory of a match grow with the pattern. */
const maxPatternLength = 1000;

/**
 * A user's regular expression on an engine whose time grows linearly with the text, whatever the pattern.
 * Unanchored, as JSON Schema has it. Look-around and back-references do not exist on such an engine.
 *
 * @returns the test, or the sentence that says why the pattern cannot be used
 */
export const compileLinearPattern = (source: string): ((text: string) => boolean) | { readonly fault: string } => {
  if (source.length > maxPatternLength) return { fault: `a pattern has at most ${maxPatternLength} characters` };
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
    return (text) => pattern.matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSException) return { fault: `the pattern cannot be used: ${error.message}` };
    throw error;
  }
};
