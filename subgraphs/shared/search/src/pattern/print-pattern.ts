import type { PatternNode } from './pattern-node.js';

/** How an engine writes characters other than plain letters and digits. */
export interface PatternDialect {
  /** One character that could have a meaning. */
  character(point: number): string;
  /** Any character, line breaks too. */
  readonly any: string;
}

const plain = /^[A-Za-z0-9]$/;

const printPoint = (point: number, dialect: PatternDialect): string => {
  const text = String.fromCodePoint(point);
  return plain.test(text) ? text : dialect.character(point);
};

const printText = (text: string, dialect: PatternDialect): string =>
  Array.from(text, (each) => printPoint(each.codePointAt(0) ?? 0, dialect)).join('');

const print = (node: PatternNode, dialect: PatternDialect): string => {
  switch (node.kind) {
    case 'text':
      return `(?:${printText(node.text, dialect)})`;
    case 'any':
      return dialect.any;
    case 'set': {
      const ranges = node.ranges.map(([low, high]) =>
        low === high ? printPoint(low, dialect) : `${printPoint(low, dialect)}-${printPoint(high, dialect)}`,
      );
      return `[${node.negated ? '^' : ''}${ranges.join('')}]`;
    }
    case 'sequence':
      return `(?:${node.of.map((each) => print(each, dialect)).join('')})`;
    case 'either':
      return `(?:${node.of.map((each) => print(each, dialect)).join('|')})`;
    case 'repeat':
      return `(?:${print(node.of, dialect)}){${node.min},${node.max ?? ''}}`;
  }
};

/** The pattern for an engine, holding for a whole text. It has nothing but groups, sets, `|` and counted repetitions. */
export const printPattern = (node: PatternNode, dialect: PatternDialect): string => `^${print(node, dialect)}$`;
