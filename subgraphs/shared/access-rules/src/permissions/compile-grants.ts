import { actions, type Action } from './action.js';
import { coversPattern } from './covers-pattern.js';
import type { Endpoints } from './endpoints.js';
import type { Grant } from './grant.js';
import { bitOf, growTrie, type GrantNode } from './grant-trie.js';
import { pathSegments } from './path-segments.js';

/** Grants compiled once per holder and asked on every request. */
export interface CompiledGrants {
  /** Is the action on the path (below `/api`, no wildcards) granted? */
  permits(action: Action, path: string): boolean;
  /** Is there a path of the pattern, in which `?` stands for any segment, on which the action is granted? */
  permitsSome(action: Action, pattern: string): boolean;
  /** Is everything granted that the grant would give: each of its actions on each of its paths? */
  covers(grant: Grant): boolean;
  /**
   * Does the holder hold what the grant opens? A grant with wildcards opens the endpoints that it reaches
   * (docs/reference/access.md#permissions): paths that do not exist are not required. A grant without wildcards, or one
   * that reaches no endpoint, has to
   * be covered as by `covers`.
   */
  coversReached(grant: Grant, endpoints: Endpoints): boolean;
}

const search = (node: GrantNode, segments: readonly string[], at: number, bit: number): boolean => {
  if ((node.below & bit) !== 0) return true;
  if (at === segments.length) return (node.exact & bit) !== 0;
  const literal = node.literal.get(segments[at] as string);
  if (literal !== undefined && search(literal, segments, at + 1, bit)) return true;
  if (node.anyOne !== undefined && search(node.anyOne, segments, at + 1, bit)) return true;
  if (node.anyMore !== undefined) {
    for (let next = at + 1; next <= segments.length; next += 1) {
      if (search(node.anyMore, segments, next, bit)) return true;
    }
  }
  return false;
};

const searchSome = (node: GrantNode, pattern: readonly string[], at: number, bit: number): boolean => {
  if ((node.below & bit) !== 0) return true;
  if (at === pattern.length) return (node.exact & bit) !== 0;
  const segment = pattern[at] as string;
  const literals = segment === '?' ? [...node.literal.values()] : [node.literal.get(segment)];
  if ([...literals, node.anyOne].some((next) => next !== undefined && searchSome(next, pattern, at + 1, bit)))
    return true;
  const { anyMore } = node;
  return anyMore !== undefined && pattern.slice(at).some((_, more) => searchSome(anyMore, pattern, at + more + 1, bit));
};

const isWildcard = (segment: string): boolean => segment === '?' || segment === '*';

/** Compiles grants to a trie. An action without a grant is refused. */
export const compileGrants = (grants: Iterable<Grant>): CompiledGrants => {
  const root = growTrie(grants);
  const coversSegments = (action: Action, pattern: readonly string[]): boolean =>
    coversPattern(root, pattern, bitOf(action));
  const covers = ({ action, resource }: Grant): boolean => {
    const pattern = pathSegments(resource);
    return (action === 'ALL' ? actions : [action]).every((each) => coversSegments(each, pattern));
  };
  return {
    permits: (action, path) => search(root, pathSegments(path), 0, bitOf(action)),
    permitsSome: (action, pattern) => searchSome(root, pathSegments(pattern), 0, bitOf(action)),
    covers,
    coversReached: (grant, endpoints) => {
      if (covers(grant)) return true;
      const { action, resource } = grant;
      const pattern = pathSegments(resource);
      if (!pattern.some(isWildcard)) return false;
      let reachesAny = false;
      for (const each of action === 'ALL' ? actions : [action]) {
        for (const path of endpoints.reachedBy(each, pattern)) {
          if (!coversSegments(each, path)) return false;
          reachesAny = true;
        }
      }
      return reachesAny;
    },
  };
};
