import { isJsonObject, parseJson, type JsonObject } from '@fds/adaptor-protocol';
import { parseRowKey } from '../source/row-key.js';
import type { ScanContext } from './scan-modifications.js';

const batchSize = 500;

const drKeyOf = (record: string, drKeyProperties: readonly string[]): JsonObject => {
  const known = parseJson(record);
  return Object.fromEntries(drKeyProperties.map((name) => [name, isJsonObject(known) ? (known[name] ?? null) : null]));
};

/**
 * Publishes a deletion for each known row that is gone.
 *
 * @param drKeyProperties of the domain version
 * @returns the number of events
 */
export const scanDeletions = async (context: ScanContext, drKeyProperties: readonly string[]): Promise<number> => {
  const { table, state, adaptor, signal } = context;
  const { domain, version } = table.metadata;
  let after: string | undefined;
  let events = 0;
  while (!signal.aborted) {
    const keyTexts = state.keysAfter(after, batchSize);
    if (keyTexts.length === 0) break;
    after = keyTexts.at(-1);
    const appliedBefore = adaptor.applied;
    const existing = await table.existing(keyTexts.map(parseRowKey));
    const gone = [...state.knownRows(keyTexts.filter((keyText) => !existing.has(keyText))).values()];
    for (const { drUuid, record, keyText } of gone) {
      // a row that never was a record has nothing to delete
      if (record !== '{}') {
        const identity = drUuid === null ? { drKey: drKeyOf(record, drKeyProperties) } : { drUuid };
        await adaptor.publish({ action: 'DELETE', domain, version, appliedBefore, ...identity });
        events += 1;
      }
      state.forget([keyText]);
    }
  }
  return events;
};
