import type { Hello } from '@fds/adaptor-protocol';
import type { Channel } from '../../domain/meet-adaptor.js';
import type { WireSeen } from '../../domain/routing/wire-seen.js';

/** The position of an adaptor when it made its events up to a number, from its first hello after them. */
export interface Greeting {
  readonly upto: number;
  readonly seen: WireSeen;
}

const maxGreetings = 32;

/** An adaptor that names another epoch has not applied any message of this one. Its position in the old epoch is lost. */
const seenIn = ({ downEpoch }: Pick<Channel, 'downEpoch'>, { epoch, applied }: Hello): WireSeen =>
  epoch === downEpoch ? { epoch, applied, begun: applied } : { epoch: downEpoch, applied: 0 };

/** One greeting for the events of two successive ones: they were made somewhere between. */
const merge = (first: Greeting, second: Greeting): Greeting => {
  const applied = first.seen.epoch === second.seen.epoch ? first.seen.applied : 0;
  return { upto: second.upto, seen: { ...second.seen, applied } };
};

/**
 * Adds a hello. An event that an earlier hello covered keeps the position of that hello: the adaptor may apply messages and
 * lose its connection again before the event arrives.
 *
 * @param taken the number of the last event that was taken
 * @returns at most 32 greetings; the oldest are merged
 */
export const withHello = (
  greetings: readonly Greeting[],
  channel: Pick<Channel, 'downEpoch' | 'upEpoch'>,
  hello: Hello,
  taken: number,
): readonly Greeting[] => {
  if (hello.sendEpoch !== channel.upEpoch) return [];
  const kept = greetings.filter(({ upto }) => upto > taken);
  const covered = kept.at(-1)?.upto ?? taken;
  if (hello.sent <= covered) return kept;
  const added = [...kept, { upto: hello.sent, seen: seenIn(channel, hello) }];
  const [first, second, ...others] = added;
  return added.length > maxGreetings && first !== undefined && second !== undefined
    ? [merge(first, second), ...others]
    : added;
};

/** The position of the adaptor when it made the event with the number. Undefined: no hello covers the event. */
export const greetedAt = (greetings: readonly Greeting[], sequence: number): WireSeen | undefined =>
  greetings.find(({ upto }) => sequence <= upto)?.seen;
