import type { ProcessingState } from '../state/processing-state.js';
import type { Storages } from '../storage/open-storages.js';
import { parseLocation } from '../uris/location.js';

/**
 * Removes the temporary files of unfinished copies. If a file cannot be removed now, the next start tries again.
 *
 * @param onFailure called for each file that cannot be removed
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
