import type { World } from './open-world.js';

/** A sentence of the contract, and how it is tried. */
export interface Check {
  readonly id: string;
  /** The part of the bus page (docs/protocols/adaptor-bus.md) that says so. */
  readonly clause: string;
  /** A SHOULD that fails is reported and does not fail the suite. */
  readonly level: 'MUST' | 'SHOULD';
  readonly sentence: string;
  /**
   * Gets a world whose adaptor is not started yet.
   *
   * @throws CheckFailure, CheckSkipped
   */
  readonly run: (world: World) => Promise<void>;
}
