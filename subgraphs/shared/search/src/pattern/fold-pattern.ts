import { foldText } from '../values/fold-text.js';
import type { CodePointRange, PatternNode } from './pattern-node.js';

/** Beyond it no character has a case. */
const lastCased = 0x1ffff;

let pairs: readonly (readonly [upper: number, lower: number])[] | undefined;

/** Every character that folds to one other character. */
const casePairs = (): readonly (readonly [number, number])[] => {
  if (pairs !== undefined) return pairs;
  const found: [number, number][] = [];
  for (let point = 0; point <= lastCased; point += 1) {
    if (point === 0xd800) point = 0xe000;
    const folded = foldText(String.fromCodePoint(point));
    const lower = folded.codePointAt(0) ?? point;
    if (lower !== point && String.fromCodePoint(lower) === folded) found.push([point, lower]);
  }
  pairs = found;
  return found;
};

const foldRanges = (ranges: readonly CodePointRange[]): CodePointRange[] => {
  const added = casePairs()
    .filter(([upper]) => ranges.some(([low, high]) => upper >= low && upper <= high))
    .map(([, lower]): CodePointRange => [lower, lower]);
  const sorted = [...ranges, ...added].sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [low, high] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
};

/** The pattern that matches a folded text when this one matches the text ignoring case. */
export const foldPattern = (node: PatternNode): PatternNode => {
  switch (node.kind) {
    case 'text':
      return { kind: 'text', text: foldText(node.text) };
    case 'any':
      return node;
    case 'set':
      return { ...node, ranges: foldRanges(node.ranges) };
    case 'sequence':
    case 'either':
      return { ...node, of: node.of.map(foldPattern) };
    case 'repeat':
      return { ...node, of: foldPattern(node.of) };
  }
};
