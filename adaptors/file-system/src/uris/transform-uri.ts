import type { Transformation } from './transformation-metadata.js';
import { maxTextLength } from '../patterns/linear-pattern.js';
import { UriFault } from './location.js';

/**
 * Applies rewrite rules in order, each to the result of the one before.
 *
 * @throws UriFault when the text becomes too long
 */
export const transformUri = (uri: string, rules: readonly Transformation[]): string => {
  let text = uri;
  for (const { filterRegex, findRegex, replaceRegex, replaceAll } of rules) {
    if (text.length > maxTextLength) break;
    if (filterRegex !== undefined && !filterRegex.matchesWhole(text)) continue;
    text = findRegex.replace(text, replaceRegex, replaceAll ? 'ALL' : 'FIRST');
  }
  if (text.length > maxTextLength) {
    throw new UriFault(`${JSON.stringify(uri.slice(0, 80))} has more than ${maxTextLength} characters when rewritten`);
  }
  return text;
};
