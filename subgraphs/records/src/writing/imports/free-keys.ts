import type { WriteResult } from '../writes/domain/record-write.js';

/** Such a row is new, or no record whatever its key is. */
const needsNoLookup = (result: WriteResult): boolean =>
  result.outcome === 'CREATED' || (result.outcome === 'REFUSED' && result.error.code === 'VALIDATION_FAILED');

/**
 * Guesses whether the keys of the next rows are free. They probably are if every row so far had a free key. One taken key, or one
 * valid row that is refused, ends the guess for the rest of the file: a wrong guess then costs little.
 */
export class FreeKeys {
  #created = false;
  #isOver = false;

  get areLikely(): boolean {
    return this.#created && !this.#isOver;
  }

  /** The results of further rows. */
  note(results: readonly WriteResult[]): void {
    this.#created ||= results.some(({ outcome }) => outcome === 'CREATED');
    this.#isOver ||= !results.every(needsNoLookup);
  }
}
