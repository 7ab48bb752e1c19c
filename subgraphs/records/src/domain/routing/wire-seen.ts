import type { Channel } from '../meet-adaptor.js';
import { nothingSeen, type Seen } from './seen.js';

/** The position that an adaptor had applied, by the numbers of an epoch of its channel; see `Seen`. */
export interface WireSeen {
  readonly epoch: string;
  readonly applied: number;
  /** Default: anything that was sent may have been begun. */
  readonly begun?: number | undefined;
}

/** In numbers of the outbox. For another epoch nothing is known. */
export const toSeen = (channel: Channel | undefined, seen: WireSeen | undefined): Seen => {
  if (channel === undefined || seen === undefined || seen.epoch !== channel.downEpoch) return nothingSeen;
  const { applied, begun } = seen;
  return {
    applied: channel.downBase + applied,
    begun: begun === undefined ? nothingSeen.begun : channel.downBase + Math.max(begun, applied),
  };
};
