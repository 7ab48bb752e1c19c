import { parseTopic, type Channel } from '@fds/adaptor-protocol';
import { readPublication, writeCopy, writePuback, type Frame } from '../../programs/ledger/mqtt-frames.js';

/** Probabilities of disturbances of a protected message, from 0 to 1. */
export interface Mischief {
  /** The message arrives a second time, at once or after later ones. */
  readonly duplicates: number;
  /** The message is lost, although it was acknowledged to its sender: a gap, or silence. */
  readonly losses: number;
  /** The message arrives after the next one. */
  readonly swaps: number;
}

/** Numbers of disturbances. */
export interface MischiefCounts {
  duplicates: number;
  losses: number;
  swaps: number;
}

export const noMischief: Mischief = { duplicates: 0, losses: 0, swaps: 0 };

/** What happens to a frame: the frames that are passed on, and the answer to its sender. */
export interface Passage {
  readonly onward: readonly Frame[];
  readonly back: readonly Frame[];
}

/**
 * Channels that sequences and acknowledgements protect. Hellos are excluded, because the contract repeats them only
 * after seconds. Link reports are excluded, because they are not repeated once a broker has them.
 */
const protectedChannels: ReadonlySet<Channel> = new Set(['up/data', 'down/data', 'up/ack', 'down/ack']);

/** Maximum number of messages that overtake a late copy. */
const latestCopy = 40;

/** Disturbs one direction of one connection. Swaps and late copies wait for the next message, so no timer is needed. */
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
