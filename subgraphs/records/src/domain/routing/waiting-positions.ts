import type { KnownContent } from './known-content.js';
import type { Seen } from './seen.js';

const member = '_fdsWaiting';
const maxPositions = 16;
const none: readonly Seen[] = [];

const parsePosition = (text: string): Seen => {
  const [applied, begun] = text.split('-');
  return { applied: Number(applied), begun: begun ? Number(begun) : Number.POSITIVE_INFINITY };
};

const writePosition = ({ applied, begun }: Seen): string => `${applied}-${Number.isFinite(begun) ? begun : ''}`;

/** The positions of the adaptor's events that wait and concern the record, oldest first. */
export const waitingPositions = (known: KnownContent): readonly Seen[] => {
  const text = known[member];
  return text === undefined ? none : text.split(',').map(parsePosition);
};

/** The content with the position of one more event that waits. When there are too many, the newest is left out. */
export const withWaiting = (known: KnownContent, seen: Seen): KnownContent => {
  const text = known[member];
  const position = writePosition(seen);
  if (text === undefined) return { ...known, [member]: position };
  const positions = text.split(',');
  if (positions.includes(position) || positions.length >= maxPositions) return known;
  return { ...known, [member]: [...positions, position].join() };
};

/** The content with the positions from `known`. */
export const keepWaiting = (content: KnownContent, known: KnownContent): KnownContent => {
  const text = known[member];
  return text === undefined ? content : { ...content, [member]: text };
};

/** The content without positions, for when no event waits. */
export const withoutWaiting = (known: KnownContent): KnownContent => {
  if (known[member] === undefined) return known;
  const { [member]: _waited, ...left } = known;
  return left;
};
