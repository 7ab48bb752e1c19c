import type { Reading } from '../causes/reading.js';

/** A `key:value` of `filters` or `options`. The value is split at its colons. Most keys allow only one part. */
export interface Term {
  readonly key: string;
  readonly parts: readonly string[];
}

interface Piece {
  readonly text: string;
  readonly quoted: boolean;
}

type Token = Piece | ',' | ':';

// a quoted piece (\" and \\ escaped), a separator, or a run of other characters
const tokenPattern = /"(?:[^"\\]|\\.)*"|[,:]|[^",:]+|"/gs;

/** A value may be percent-encoded twice instead of being quoted. */
const decodeOnceMore = (text: string): string => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const toToken = (text: string): Token | undefined => {
  if (text === ',' || text === ':') return text;
  if (!text.startsWith('"')) return { text: decodeOnceMore(text), quoted: false };
  if (text.length < 2) return undefined;
  return { text: text.slice(1, -1).replaceAll(/\\(.)/gs, '$1'), quoted: true };
};

const toTerm = (tokens: readonly Token[]): Term | undefined => {
  const parts = [''];
  for (const token of tokens) {
    if (token === ':') parts.push('');
    else if (token !== ',') parts[parts.length - 1] += token.text;
  }
  const [key = '', ...values] = parts.map((part, index) => (index === 0 ? part.trim() : part));
  return key === '' || values.length === 0 ? undefined : { key, parts: values };
};

const split = (tokens: readonly Token[]): Token[][] => {
  const groups: Token[][] = [[]];
  for (const token of tokens) {
    if (token === ',') groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return groups;
};

/**
 * Reads `key:value,key:"a,b"` (docs/reference/rest-conventions.md#lists). A comma or colon in a value must be
 * in double quotes or percent-encoded twice. In quotes, a backslash escapes a quote or a backslash.
 *
 * @param parameter `filters` or `options`, which is the pointer of faults
 * @param reading receives code MALFORMED
 */
export const parseTerms = (parameter: string, text: string, reading: Pick<Reading, 'add'>): Term[] => {
  const tokens = (text.match(tokenPattern) ?? []).map(toToken);
  const known = tokens.filter((token) => token !== undefined);
  if (known.length < tokens.length) {
    reading.add({ pointer: parameter, code: 'MALFORMED', detail: 'a double quote is not closed' });
    return [];
  }
  return split(known).flatMap((group) => {
    const term = toTerm(group);
    if (term !== undefined) return [term];
    reading.add({ pointer: parameter, code: 'MALFORMED', detail: 'must be key:value,key:value' });
    return [];
  });
};
