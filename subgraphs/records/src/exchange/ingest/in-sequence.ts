import type { Channel } from '../../domain/meet-adaptor.js';
import type { QueuedEvent } from './queued-event.js';

/** The events of a batch that are decided on. */
export interface AcceptedEvents {
  readonly accepted: readonly QueuedEvent[];
  /** The last number that is taken from each source. */
  readonly applied: ReadonlyMap<string, number>;
}

/**
 * Which of the batch follow their channel's position; the others are duplicates, lie beyond a gap, or are of an adaptor
 * that was deleted.
 */
export const inSequence = (channels: ReadonlyMap<string, Channel>, batch: readonly QueuedEvent[]): AcceptedEvents => {
  const applied = new Map<string, number>();
  let latest: QueuedEvent['position'];
  const accepted = batch.filter(({ adaptor, position }) => {
    const channel = channels.get(adaptor.uuid);
    if (channel === undefined) return false;
    if (position === undefined || position === latest) return true;
    if (channel.upEpoch !== position.epoch) return false;
    const last = applied.get(adaptor.uuid) ?? channel.upApplied;
    if (position.sequence !== last + 1) return false;
    applied.set(adaptor.uuid, position.sequence);
    latest = position;
    return true;
  });
  return { accepted, applied };
};
