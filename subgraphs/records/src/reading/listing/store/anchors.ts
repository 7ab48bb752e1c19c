import { comparePlaces, type SortedPlace, type SortTerm } from '@fds/search';

/** A place in the order of a version's records: so many records come before it. Without a sort it has no values. */
export interface Anchor extends SortedPlace {
  readonly offset: number;
}

/** An entry of the change log about a record of the version. The place is that of the record as the entry shows it. */
export interface RecordMove {
  readonly position: bigint;
  readonly action: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly place: SortedPlace;
}

/** The state of a version in the snapshot of a statement. */
export interface VersionState {
  /** Records of the version. */
  readonly total: bigint;
  /** Changes of DR Keys of the version, since ever. */
  readonly moves: bigint;
  /** Entries of the change log above the floor. */
  readonly scanned: number;
  /** Those of them that concern the version. */
  readonly changes: readonly RecordMove[];
}

/** Anchors of a version in an order, all as one statement saw the version. */
export interface AnchorSet {
  /** The change log is read from here on: every entry at or below was visible to the statement. */
  readonly floor: bigint;
  /** Positions of the entries above the floor that the statement saw. The anchors have been moved by them. */
  readonly counted: ReadonlySet<bigint>;
  readonly total: bigint;
  readonly moves: bigint;
  /** In order. */
  readonly anchors: readonly Anchor[];
}

/** No anchors, before the first statement. */
export const emptyAnchors = (floor: bigint): AnchorSet => ({
  floor,
  counted: new Set(),
  total: 0n,
  moves: 0n,
  anchors: [],
});

/** The last anchor at or before an offset. */
export const anchorBefore = ({ anchors }: AnchorSet, offset: number): Anchor | undefined =>
  anchors.findLast((anchor) => anchor.offset <= offset);

const stepOf: Readonly<Record<RecordMove['action'], number>> = { POST: 1, PUT: 0, PATCH: 0, DELETE: -1 };

/** Index of the first anchor after the place. */
const firstAfter = (anchors: readonly Anchor[], order: readonly SortTerm[], place: SortedPlace): number => {
  let [low, high] = [0, anchors.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const anchor = anchors[middle];
    if (anchor !== undefined && comparePlaces(order, anchor, place) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
};

const move = (
  anchors: readonly Anchor[],
  order: readonly SortTerm[],
  changes: readonly RecordMove[],
): readonly Anchor[] => {
  if (anchors.length === 0 || changes.length === 0) return anchors;
  const steps = Array.from({ length: anchors.length + 1 }, () => 0);
  for (const { action, place } of changes) {
    const first = firstAfter(anchors, order, place);
    steps[first] = (steps[first] ?? 0) + stepOf[action];
  }
  let by = 0;
  return anchors.map((anchor, index) => {
    by += steps[index] ?? 0;
    return by === 0 ? anchor : { ...anchor, offset: anchor.offset + by };
  });
};

/** Do the changes explain all differences between both states? A change of a value that the order depends on leaves its former place open. */
const explains = (
  changes: readonly RecordMove[],
  before: AnchorSet,
  after: VersionState,
  order: readonly SortTerm[],
): boolean => {
  if (order.length > 0 && before.moves !== after.moves) return false;
  if (changes.some(({ action }) => stepOf[action] === 0)) return false;
  const step = changes.reduce((sum, { action }) => sum + stepOf[action], 0);
  return after.total - before.total === BigInt(step);
};

/**
 * The same anchors as a later statement sees the version. Each record that came or went before an anchor moves it by one. Where
 * the entries of the change log do not explain what the statement sees, no anchors are left.
 *
 * @param settled a position at or below which no entry can appear that the statement did not see
 */
export const moveAnchors = (
  before: AnchorSet,
  state: VersionState,
  { order, settled }: { readonly order: readonly SortTerm[]; readonly settled: bigint },
): AnchorSet => {
  const fresh = state.changes.filter(({ position }) => !before.counted.has(position));
  const floor = settled > before.floor ? settled : before.floor;
  return {
    floor,
    counted: new Set(state.changes.flatMap(({ position }) => (position > floor ? [position] : []))),
    total: state.total,
    moves: state.moves,
    anchors: explains(fresh, before, state, order) ? move(before.anchors, order, fresh) : [],
  };
};

/** Bounds of the anchors of one version in one order. */
interface AnchorBounds {
  readonly maxAnchors: number;
  readonly maxBytes: number;
}

/** Memory that an anchor takes at most. */
const anchorBytes = ({ uuid, values }: Anchor): number =>
  values.reduce<number>((sum, value) => sum + 32 + 2 * (value?.length ?? 0), 160 + 2 * uuid.length);

/** Memory of lists of anchors. Most statements leave the list unchanged. */
const knownBytes = new WeakMap<readonly Anchor[], number>();

const bytesOfList = (anchors: readonly Anchor[]): number => {
  const known = knownBytes.get(anchors);
  if (known !== undefined) return known;
  const bytes = anchors.reduce((sum, anchor) => sum + anchorBytes(anchor), 0);
  knownBytes.set(anchors, bytes);
  return bytes;
};

/** Memory that the anchors of a version take at most. */
export const bytesOf = ({ anchors, counted }: AnchorSet): number => 256 + 64 * counted.size + bytesOfList(anchors);

/** Leaves out every other anchor until the rest is within the bounds. */
const thin = (anchors: readonly Anchor[], { maxAnchors, maxBytes }: AnchorBounds): readonly Anchor[] => {
  let kept = anchors;
  while (kept.length > maxAnchors || (kept.length > 0 && bytesOfList(kept) > maxBytes))
    kept = kept.filter((_anchor, index) => index % 2 === 1);
  return kept;
};

/** Adds anchors of the same statement, each place once. Where there are too many, every other one goes. */
export const addAnchors = (
  set: AnchorSet,
  added: readonly Anchor[],
  { order, bounds }: { readonly order: readonly SortTerm[]; readonly bounds: AnchorBounds },
): AnchorSet => {
  let { anchors } = set;
  for (const anchor of added) {
    const index = firstAfter(anchors, order, anchor);
    const before = anchors[index - 1];
    if (before === undefined || comparePlaces(order, before, anchor) !== 0)
      anchors = anchors.toSpliced(index, 0, anchor);
  }
  return anchors === set.anchors ? set : { ...set, anchors: thin(anchors, bounds) };
};
