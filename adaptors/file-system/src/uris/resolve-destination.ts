import type { Transformation } from './transformation-metadata.js';
import type { LinearPattern } from '../patterns/linear-pattern.js';
import {
  formatLocation,
  isRelative,
  isWithin,
  type Location,
  maxUriLength,
  parseLocation,
  resolveBelow,
  UriFault,
} from './location.js';
import { transformUri } from './transform-uri.js';

/** A folder to copy into, with the rules for its files. */
export interface DestinationRule {
  readonly baseUri: Location;
  readonly allowRelativeUri: boolean;
  readonly filterRegex?: LinearPattern | undefined;
  readonly rewriteRules: readonly Transformation[];
}

/** The result of a rule for a file. FILTERED: the filter of the rule excludes the file. */
export type Resolution =
  | { readonly outcome: 'RESOLVED'; readonly target: Location; readonly base: Location }
  | { readonly outcome: 'FILTERED' }
  | { readonly outcome: 'REFUSED'; readonly reason: string };

/**
 * The final destination of a URI (specification, Resolution of the final destination URI). The whole URI must match
 * `filterRegex`. Then the rewrite rules are applied. A relative URI is resolved against `baseUri` if that is allowed.
 * The result is always below `baseUri`.
 */
export const resolveDestination = (
  uri: string,
  { baseUri, allowRelativeUri, filterRegex, rewriteRules }: DestinationRule,
): Resolution => {
  if (uri.length > maxUriLength)
    return { outcome: 'REFUSED', reason: `the URI has more than ${maxUriLength} characters` };
  if (filterRegex !== undefined && !filterRegex.matchesWhole(uri)) return { outcome: 'FILTERED' };
  try {
    const rewritten = transformUri(uri, rewriteRules);
    if (isRelative(rewritten) && !rewritten.startsWith('/')) {
      if (!allowRelativeUri) {
        return { outcome: 'REFUSED', reason: `${JSON.stringify(rewritten)} is relative and allowRelativeUri is false` };
      }
      return { outcome: 'RESOLVED', target: resolveBelow(baseUri, rewritten), base: baseUri };
    }
    const target = parseLocation(rewritten);
    if (!isWithin(baseUri, target) || target.segments.length === baseUri.segments.length) {
      return { outcome: 'REFUSED', reason: `${JSON.stringify(rewritten)} is not below ${formatLocation(baseUri)}` };
    }
    return { outcome: 'RESOLVED', target, base: baseUri };
  } catch (error) {
    if (error instanceof UriFault) return { outcome: 'REFUSED', reason: error.message };
    throw error;
  }
};
