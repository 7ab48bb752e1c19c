import type { CopyUnderWay, ProcessingState } from '../state/processing-state.js';
import { digestOfContent } from '../storage/checked-content.js';
import type { Storages } from '../storage/open-storages.js';
import { parseLocation } from '../uris/location.js';

/**
 * Settles unfinished copies: records those that got their name before the crash, so that they count as copies of the
 * adaptor, and removes the temporary files of the others. A copy that cannot be settled now is settled by the next
 * start.
 *
 * @param onFailure called for each copy that cannot be settled
 */
export const removeLeftovers = async (
  processing: ProcessingState,
  storages: Storages,
  onFailure: (target: string, error: unknown) => void,
): Promise<void> => {
  const settle = async (
    { token, target: uri, base: baseUri, record, fingerprint }: CopyUnderWay,
    mark: string | null,
  ) => {
    const [target, base] = [parseLocation(uri), parseLocation(baseUri)];
    const storage = storages.of(target);
    const entry = record === null ? undefined : await storage.committed(target, base, token, mark ?? undefined);
    await storage.discardLeftover(target, base, token);
    if (entry === undefined || record === null) {
      processing.end(token);
      return;
    }
    const file = await storage.open(target, [base]);
    try {
      const digest = await digestOfContent(file);
      processing.made(record, { target: uri, base: baseUri, fingerprint }, { mark: entry.mark, digest }, token);
    } finally {
      await file.close();
    }
  };
  for (const copy of processing.underWay()) {
    try {
      await settle(copy, copy.mark);
    } catch (error) {
      onFailure(copy.target, error);
    }
  }
};
