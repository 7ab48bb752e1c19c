import { parseRowKey } from '../source/row-key.js';
import { publishDeletions } from './publish-rows.js';
import type { ScanContext } from './scan-context.js';

const batchSize = 500;

/**
 * Publishes a deletion for each known row that no longer exists.
 *
 * @returns the number of events
 */
export const scanDeletions = async (context: ScanContext): Promise<number> => {
  const { table, state, adaptor, signal, written, guard } = context;
  let after: string | undefined;
  let events = 0;
  while (!signal.aborted) {
    const keyTexts = await state.keysAfter(after, batchSize);
    if (keyTexts.length === 0) break;
    after = keyTexts.at(-1);
    const [appliedBefore, mark] = [adaptor.applied, written.mark()];
    const existing = await table.existing(keyTexts.map(parseRowKey));
    await written.known();
    const absent = keyTexts.filter((keyText) => !existing.has(keyText));
    // an event may have created such a row since
    const touched = new Set(written.since(mark, absent));
    const gone = await state.knownRows(absent.filter((keyText) => !touched.has(keyText)));
    // the connection may lead to another source since the scan began
    if (gone.size > 0) await guard.check();
    events += await publishDeletions(context, gone.values(), appliedBefore);
  }
  return events;
};
