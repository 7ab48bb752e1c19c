import type { GrantNode } from './grant-trie.js';

/**
 * Positions in the trie while a path is read: at a node, or within a `*` in the middle, which any further segment continues
 * or ends at its node.
 */
interface Places {
  readonly nodes: ReadonlySet<GrantNode>;
  readonly stars: ReadonlySet<GrantNode>;
}

/** No literal of the trie equals this segment: a pattern that accepts it accepts every segment. */
const unheardOf = undefined;

const step = ({ nodes, stars }: Places, segment: string | undefined): Places => {
  const reached = new Set(stars);
  const within = new Set(stars);
  for (const node of nodes) {
    const literal = segment === unheardOf ? undefined : node.literal.get(segment);
    if (literal !== undefined) reached.add(literal);
    if (node.anyOne !== undefined) reached.add(node.anyOne);
    if (node.anyMore === undefined) continue;
    reached.add(node.anyMore);
    within.add(node.anyMore);
  }
  return { nodes: reached, stars: within };
};

const some = (nodes: ReadonlySet<GrantNode>, test: (node: GrantNode) => boolean): boolean => {
  for (const node of nodes) if (test(node)) return true;
  return false;
};

/** A key that is the same for the same places. */
const createKeys = (): ((places: Places) => string) => {
  const numbers = new Map<GrantNode, number>();
  const numberOf = (node: GrantNode): number => {
    const known = numbers.get(node) ?? numbers.size;
    numbers.set(node, known);
    return known;
  };
  const keyOf = (nodes: ReadonlySet<GrantNode>): string =>
    [...nodes]
      .map(numberOf)
      .sort((a, b) => a - b)
      .join(',');
  return ({ nodes, stars }) => `${keyOf(nodes)};${keyOf(stars)}`;
};

/**
 * Is every path of the pattern granted? A wildcard of the pattern stands for segments that no grant names, since what
 * grants those grants all; a `*` stands for any number of them, which is tried until the places in the trie repeat.
 *
 * @param pattern segments of a resource, with wildcards
 */
export const coversPattern = (root: GrantNode, pattern: readonly string[], bit: number): boolean => {
  const keyOf = createKeys();
  const hasAllBelow = ({ nodes }: Places): boolean => some(nodes, ({ below }) => (below & bit) !== 0);
  const endsGranted = ({ nodes }: Places): boolean => some(nodes, ({ exact }) => (exact & bit) !== 0);

  // one path that is missing ends it all, so what is being looked at need not be looked at again
  const seen = new Set<string>();
  const isNew = (state: string, places: Places): boolean => {
    const before = seen.size;
    return seen.add(`${state} ${keyOf(places)}`).size > before;
  };

  const covered = (places: Places, at: number): boolean => {
    if (hasAllBelow(places) || !isNew(`at ${at}`, places)) return true;
    if (places.nodes.size === 0 && places.stars.size === 0) return false;
    const segment = pattern[at];
    if (segment === undefined) return endsGranted(places);
    if (segment !== '*') return covered(step(places, segment === '?' ? unheardOf : segment), at + 1);
    const isLast = at === pattern.length - 1;
    for (let reached = isLast ? places : step(places, unheardOf); isNew(`in ${at}`, reached);) {
      if (!covered(reached, at + 1)) return false;
      if (hasAllBelow(reached)) return true;
      reached = step(reached, unheardOf);
    }
    return true;
  };

  return covered({ nodes: new Set([root]), stars: new Set() }, 0);
};
