import type { WriteResult } from '../writes/domain/record-write.js';

const isOfFreeKey = (result: WriteResult): boolean =>
  result.outcome === 'CREATED' || (result.outcome === 'REFUSED' && result.error.code !== 'DUPLICATE_DR_KEY');

/**
 * Guesses whether the keys of the next rows are free: so they are while every row so far had a free key. One taken key ends the
 * guessing for the rest of the file, so that a wrong guess costs little.
 */
export class FreeKeys {
  #created = false;
  #taken = false;

  get areLikely(): boolean {
    return this.#created && !this.#taken;
  }

  /** The results of further rows. */
  note(results: readonly WriteResult[]): void {
    this.#created ||= results.some(({ outcome }) => outcome === 'CREATED');
    this.#taken ||= !results.every(isOfFreeKey);
  }
}
