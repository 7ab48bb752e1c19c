import { actions, type Action } from './action.js';
import type { Grant } from './grant.js';

/** Grants compiled once per holder and asked on every request. */
export interface CompiledGrants {
  /** Is the action on the path (below `/api`, no wildcards) granted? */
  permits(action: Action, path: string): boolean;
}

/** A step of the trie: literal children, the one-segment wildcard, and what ends or continues here. */
interface Node {
  readonly literal: Map<string, Node>;
  anyOne?: Node;
  /** `*` in the middle: one or more segments, then the rest */
  anyMore?: Node;
  /** bits of actions granted for exactly this path */
  exact: number;
  /** bits of actions granted for this path and everything below */
  below: number;
}

const createNode = (): Node => ({ literal: new Map(), exact: 0, below: 0 });

const bitOf = new Map<string, number>([
  ...actions.map((action, index) => [action, 1 << index] as const),
  ['ALL', (1 << actions.length) - 1],
]);

/** Segments of a path, the `/api` prefix left out. */
const segmentsOf = (path: string): string[] => {
  const segments = path.split('/').filter((segment) => segment !== '');
  return segments[0] === 'api' ? segments.slice(1) : segments;
};

const addGrant = (root: Node, grant: Grant): void => {
  const bits = bitOf.get(grant.action) ?? 0;
  const segments = segmentsOf(grant.resource);
  let node = root;
  for (const [index, segment] of segments.entries()) {
    if (segment === '*') {
      if (index === segments.length - 1) {
        node.below |= bits;
        return;
      }
      node = node.anyMore ??= createNode();
    } else if (segment === '?') {
      node = node.anyOne ??= createNode();
    } else {
      let next = node.literal.get(segment);
      if (next === undefined) node.literal.set(segment, (next = createNode()));
      node = next;
    }
  }
  node.exact |= bits;
};

const search = (node: Node, segments: readonly string[], at: number, bit: number): boolean => {
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

/** Compiles grants to a trie. What nobody granted is refused. */
export const compileGrants = (grants: Iterable<Grant>): CompiledGrants => {
  const root = createNode();
  for (const grant of grants) addGrant(root, grant);
  return {
    permits: (action, path) => search(root, segmentsOf(path), 0, bitOf.get(action) ?? 0),
  };
};
