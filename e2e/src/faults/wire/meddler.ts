import { parseTopic, type Channel } from '@fds/adaptor-protocol';
import { readPublication, writeCopy, writePuback, type Frame } from './mqtt-frames.js';

/** How often something happens to a message that the sequences protect, as shares of 1. */
export interface Mischief {
  /** It comes a second time, at once or behind later ones. */
  readonly duplicates: number;
  /** It is lost although its sender was told that the broker has it: a gap, or a silence. */
  readonly losses: number;
  /** It comes behind the next one. */
  readonly swaps: number;
}

/** What was done. */
export interface MischiefCounts {
  duplicates: number;
  losses: number;
  swaps: number;
}

export const noMischief: Mischief = { duplicates: 0, losses: 0, swaps: 0 };

/** What becomes of a frame: what goes on, and what its sender is answered. */
export interface Passage {
  readonly onward: readonly Frame[];
  readonly back: readonly Frame[];
}

/**
 * What sequences and acknowledgements make good. Hellos are left out, for the contract has them repeated after seconds, and
 * link reports, which nothing repeats once a broker has them.
 */
const protectedChannels: ReadonlySet<Channel> = new Set(['up/data', 'down/data', 'up/ack', 'down/ack']);

/** Most messages that a late copy lets pass. */
const latestCopy = 40;

/** Meddles with one direction of one connection. Swaps and late copies wait for the next message: no timer is needed. */
export const createMeddler = (
  mischief: Mischief,
  random: () => number,
  counts: MischiefCounts,
): ((frame: Frame) => Passage) => {
  let held: Frame | undefined;
  let late: { readonly frame: Frame; passes: number }[] = [];

  const dueCopies = (): Frame[] => {
    for (const copy of late) copy.passes -= 1;
    const due = late.filter(({ passes }) => passes <= 0).map(({ frame }) => frame);
    late = late.filter(({ passes }) => passes > 0);
    return due;
  };

  return (frame) => {
    const publication = readPublication(frame);
    const channel = publication === undefined ? undefined : parseTopic(publication.topic)?.channel;
    if (publication === undefined || channel === undefined || !protectedChannels.has(channel))
      return { onward: [frame], back: [] };
    const behind = [...(held === undefined ? [] : [held]), ...dueCopies()];
    held = undefined;
    const chance = random();
    if (chance < mischief.losses) {
      counts.losses += 1;
      return { onward: behind, back: [writePuback(publication.packetId)] };
    }
    if (chance < mischief.losses + mischief.swaps) {
      counts.swaps += 1;
      held = frame;
      return { onward: behind, back: [] };
    }
    if (chance < mischief.losses + mischief.swaps + mischief.duplicates) {
      counts.duplicates += 1;
      late.push({ frame: writeCopy(publication), passes: Math.floor(random() * latestCopy) });
    }
    return { onward: [frame, ...behind], back: [] };
  };
};
