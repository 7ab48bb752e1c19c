import { pathSegments } from '@fds/access-rules';
import type { ChangeEvent } from './change-event.js';
import { eventActions, type EventAction, type EventEntry } from './event-entry.js';
import { eventSegments } from './event-segments.js';
import { isNotifiedType } from './notified-types.js';
import { pathsOfChange } from './paths-of-change.js';

/** Finds those who want a change by its path, without a comparison with each of them. */
export interface EventIndex {
  /** Adds a holder, or replaces its events. */
  set(holder: string, events: readonly EventEntry[]): void;
  delete(holder: string): void;
  /** The holders whose events include the change. Does not check permissions. */
  find(change: ChangeEvent): ReadonlySet<string>;
}

/** Holders with the bits of the actions that they want. */
type Holders = Map<string, number>;

/** A step of the trie. Nodes exist as long as a holder needs them. */
interface Node {
  readonly literal: Map<string, Node>;
  anyOne?: Node;
  /** `*` in the middle: one or more segments, then the rest. */
  anyMore?: Node;
  /** Those who want exactly this path. */
  readonly exact: Holders;
  /** Those who want this path and everything below. */
  readonly below: Holders;
}

const bits: ReadonlyMap<EventAction, number> = new Map(
  eventActions.map((action, index) => [action, action === 'ALL' ? (1 << index) - 1 : 1 << index]),
);

const createNode = (): Node => ({ literal: new Map(), exact: new Map(), below: new Map() });

const isEmpty = ({ literal, anyOne, anyMore, exact, below }: Node): boolean =>
  literal.size === 0 && anyOne === undefined && anyMore === undefined && exact.size === 0 && below.size === 0;

const childOf = (node: Node, segment: string): Node | undefined => {
  if (segment === '*') return node.anyMore;
  return segment === '?' ? node.anyOne : node.literal.get(segment);
};

const growChild = (node: Node, segment: string): Node => {
  const known = childOf(node, segment);
  if (known !== undefined) return known;
  const child = createNode();
  if (segment === '*') node.anyMore = child;
  else if (segment === '?') node.anyOne = child;
  else node.literal.set(segment, child);
  return child;
};

const cutChild = (node: Node, segment: string): void => {
  if (segment === '*') delete node.anyMore;
  else if (segment === '?') delete node.anyOne;
  else node.literal.delete(segment);
};

const add = (root: Node, holder: string, segments: readonly string[], wanted: number): void => {
  const isOpen = segments.at(-1) === '*';
  let node = root;
  for (const segment of isOpen ? segments.slice(0, -1) : segments) node = growChild(node, segment);
  const holders = isOpen ? node.below : node.exact;
  holders.set(holder, (holders.get(holder) ?? 0) | wanted);
};

/** Removes the holder at the end of the pattern, and the nodes that are no longer needed. */
const remove = (node: Node, holder: string, segments: readonly string[], at: number): void => {
  const segment = segments[at];
  if (segment === undefined) {
    node.exact.delete(holder);
  } else if (segment === '*' && at === segments.length - 1) {
    node.below.delete(holder);
  } else {
    const child = childOf(node, segment);
    if (child === undefined) return;
    remove(child, holder, segments, at + 1);
    if (isEmpty(child)) cutChild(node, segment);
  }
};

const collect = (holders: Holders, wanted: number, found: Set<string>): void => {
  for (const [holder, held] of holders) if ((held & wanted) !== 0) found.add(holder);
};

const search = (node: Node, path: readonly string[], at: number, wanted: number, found: Set<string>): void => {
  collect(node.below, wanted, found);
  if (at === path.length) {
    collect(node.exact, wanted, found);
    return;
  }
  const literal = node.literal.get(path[at] as string);
  if (literal !== undefined) search(literal, path, at + 1, wanted, found);
  if (node.anyOne !== undefined) search(node.anyOne, path, at + 1, wanted, found);
  if (node.anyMore === undefined) return;
  for (let next = at + 1; next <= path.length; next += 1) search(node.anyMore, path, next, wanted, found);
};

/** Creates an index without holders. Its size is that of the events that it was given. */
export const createEventIndex = (): EventIndex => {
  const root = createNode();
  const known = new Map<string, readonly EventEntry[]>();

  const forget = (holder: string): void => {
    for (const { resource } of known.get(holder) ?? []) remove(root, holder, eventSegments(resource), 0);
    known.delete(holder);
  };

  return {
    set: (holder, events) => {
      forget(holder);
      known.set(holder, events);
      for (const { resource, actions } of events) {
        const wanted = actions.reduce((sum, action) => sum | (bits.get(action) ?? 0), 0);
        add(root, holder, eventSegments(resource), wanted);
      }
    },
    delete: forget,
    find: (change) => {
      const found = new Set<string>();
      if (!isNotifiedType(change.resourceType)) return found;
      const wanted = bits.get(change.action) ?? 0;
      for (const path of pathsOfChange(change)) search(root, pathSegments(path), 0, wanted, found);
      return found;
    },
  };
};
