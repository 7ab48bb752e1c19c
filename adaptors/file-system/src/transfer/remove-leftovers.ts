import type { ProcessingState } from '../state/processing-state.js';
import type { Storages } from '../storage/open-storages.js';
import { parseLocation } from '../uris/location.js';

/**
 * Removes the temporary files of copies that never ended. A file that cannot be removed now is tried again at the next start.
 *
 * @param onFailure told of each that stays
 */
export const removeLeftovers = async (
  processing: ProcessingState,
  storages: Storages,
  onFailure: (target: string, error: unknown) => void,
): Promise<void> => {
  for (const { token, target, base } of processing.underWay()) {
    const location = parseLocation(target);
    try {
      await storages.of(location).discardLeftover(location, parseLocation(base), token);
      processing.end(token);
    } catch (error) {
      onFailure(target, error);
    }
  }
};
