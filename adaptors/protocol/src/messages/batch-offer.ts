import { type Check, count, shape } from '../checks/check.js';
import type { Fault } from '../checks/fault.js';

/**
 * `batch` of a hello: limits of the largest `fds.data.batch.v1` that the sender of the hello accepts on this
 * connection.
 */
export interface BatchOffer {
  /** Maximum size of the payload. */
  readonly maxBytes: number;
  readonly maxEvents: number;
}

const wellFormed = shape<BatchOffer>({ maxBytes: count, maxEvents: count });

/** An offer that cannot be read counts as absent; the rest of the hello stays valid. */
export const batchOffer: Check<BatchOffer | undefined> = (value, pointer) => {
  const faults: Fault[] = [];
  const offer = wellFormed(value, pointer, faults);
  return faults.length === 0 ? offer : undefined;
};
