import { actions, type Action } from './action.js';
import { coversPattern } from './covers-pattern.js';
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

/** Compiles grants to a trie. What nobody granted is refused. */
export const compileGrants = (grants: Iterable<Grant>): CompiledGrants => {
  const root = growTrie(grants);
  return {
    permits: (action, path) => search(root, pathSegments(path), 0, bitOf(action)),
    permitsSome: (action, pattern) => searchSome(root, pathSegments(pattern), 0, bitOf(action)),
    covers: ({ action, resource }) => {
      const pattern = pathSegments(resource);
      return (action === 'ALL' ? actions : [action]).every((each) => coversPattern(root, pattern, bitOf(each)));
    },
  };
};
