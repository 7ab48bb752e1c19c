import type { KnownContent } from './known-content.js';
import type { Seen } from './seen.js';

const maxPositions = 16;

/** The content with the position of one more event that waits. When there are too many, the newest is left out. */
export const withWaiting = (known: KnownContent, { applied, begun }: Seen): KnownContent => {
  const { waiting } = known;
  const isNoted = waiting.some((position) => position.applied === applied && position.begun === begun);
  if (isNoted || waiting.length >= maxPositions) return known;
  return { ...known, waiting: [...waiting, { applied, begun }] };
};

/** The content without positions, for when no event waits. */
export const withoutWaiting = (known: KnownContent): KnownContent =>
  known.waiting.length === 0 ? known : { ...known, waiting: [] };
