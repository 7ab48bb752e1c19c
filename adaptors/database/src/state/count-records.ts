import { wasReported } from '../source/row-base.js';
import type { TableState } from './adaptor-state.js';

const keysOfPage = 1_000;

/** The number of rows that the adaptor has as records. Reads the whole state of the table, in pages. */
export const countRecords = async (state: Pick<TableState, 'keysAfter' | 'knownRows'>): Promise<number> => {
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const keyTexts = await state.keysAfter(after, keysOfPage);
    after = keyTexts.at(-1);
    if (after === undefined) return count;
    for (const row of (await state.knownRows(keyTexts)).values()) if (wasReported(row)) count += 1;
  }
};
