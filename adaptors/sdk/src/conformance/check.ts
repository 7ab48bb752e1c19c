import type { World } from './open-world.js';

/** A requirement of the contract, and the function that checks it. */
export interface Check {
  readonly id: string;
  /** The part of the bus page (docs/protocols/adaptor-bus.md) with the requirement. */
  readonly clause: string;
  /** A SHOULD that fails is reported and does not fail the suite. */
  readonly level: 'MUST' | 'SHOULD';
  readonly sentence: string;
  /**
   * @param world with an adaptor that is not started yet
   *
   * @throws CheckFailure, CheckSkipped
   */
  readonly run: (world: World) => Promise<void>;
}
