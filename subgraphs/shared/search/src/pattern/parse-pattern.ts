import { parse } from '../generated/pattern-parser.js';
import { grammarFaultOf } from '../faults/grammar-fault.js';
import { queryLimits } from '../faults/query-limits.js';
import type { PatternNode } from './pattern-node.js';

/** How many characters the pattern has once its repetitions are written out. */
const sizeOf = (node: PatternNode): number => {
  switch (node.kind) {
    case 'text':
      return node.text.length;
    case 'any':
    case 'set':
      return 1;
    case 'sequence':
    case 'either':
      return node.of.reduce((sum, each) => sum + sizeOf(each), 1);
    case 'repeat':
      return (1 + sizeOf(node.of)) * Math.max(1, node.max ?? node.min);
  }
};

/**
 * Reads a regular expression: literals, `.`, sets, `\d \w \s`, groups, `|`, `* + ? {m,n}`. Syntax that a finite
 * automaton cannot run does not exist: no back-references, no look-around. Its size with all repetitions written out is
 * bounded, and with it the cost of compiling it and of every step of a match.
 *
 * @returns the pattern, or the sentence that says why it cannot be used and the offset in the source
 */
export const parsePattern = (source: string): PatternNode | { readonly fault: string; readonly offset: number } => {
  const { maxDepth, maxRepeats, maxPatternSize } = queryLimits;
  if (source.length > maxPatternSize) {
    return { fault: `a regular expression has at most ${maxPatternSize} characters`, offset: 0 };
  }
  try {
    const node = parse(source, { maxDepth, maxRepeats }) as PatternNode;
    if (sizeOf(node) <= maxPatternSize) return node;
    return {
      fault: `the regular expression has more than ${maxPatternSize} characters when its repetitions are written out`,
      offset: 0,
    };
  } catch (error) {
    const { detail, offset } = grammarFaultOf(error);
    return { fault: `regular expression: ${detail}`, offset };
  }
};
