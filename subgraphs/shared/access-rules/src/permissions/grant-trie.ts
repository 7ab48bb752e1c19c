import { actions, type Action } from './action.js';
import type { Grant } from './grant.js';
import { pathSegments } from './path-segments.js';

/** A step of the trie: literal children, the one-segment wildcard, and the patterns that end or continue here. */
export interface GrantNode {
  readonly literal: Map<string, GrantNode>;
  anyOne?: GrantNode;
  /** `*` in the middle: one or more segments, then the rest */
  anyMore?: GrantNode;
  /** bits of actions granted for exactly this path */
  exact: number;
  /** bits of actions granted for this path and everything below */
  below: number;
}

const createNode = (): GrantNode => ({ literal: new Map(), exact: 0, below: 0 });

const bits = new Map<string, number>([
  ...actions.map((action, index) => [action, 1 << index] as const),
  ['ALL', (1 << actions.length) - 1],
]);

/** The bit of an action. */
export const bitOf = (action: Action): number => bits.get(action) ?? 0;

const addGrant = (root: GrantNode, { action, resource }: Grant): void => {
  const granted = bits.get(action) ?? 0;
  const segments = pathSegments(resource);
  let node = root;
  for (const [index, segment] of segments.entries()) {
    if (segment === '*') {
      if (index === segments.length - 1) {
        node.below |= granted;
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
  node.exact |= granted;
};

/** The grants as a trie of their segments. */
export const growTrie = (grants: Iterable<Grant>): GrantNode => {
  const root = createNode();
  for (const grant of grants) addGrant(root, grant);
  return root;
};
