import type { ProcessingState } from '../state/processing-state.js';
import type { Storages } from '../storage/open-storages.js';
import type { FileFacts } from '../storage/storage.js';
import { formatLocation, type Location } from '../uris/location.js';

/** A copy to make. */
export interface CopyOrder {
  readonly from: Location;
  /** Folders that may be read. */
  readonly within: readonly Location[];
  readonly to: Location;
  readonly base: Location;
}

export interface CopyTools {
  readonly storages: Storages;
  readonly processing: ProcessingState;
  readonly newUuid: () => string;
}

/**
 * Copies a file: writes it under a temporary name next to its target, checks the length, makes it durable, and renames
 * it. At every moment, the target has its old or its new content. The temporary name is stored first, so that the next
 * start can remove the file that a crash left.
 *
 * @throws StorageFault
 */
export const copyFile = async ({ from, within, to, base }: CopyOrder, tools: CopyTools): Promise<FileFacts> => {
  const { storages, processing } = tools;
  const token = tools.newUuid();
  const file = await storages.of(from).open(from, within);
  try {
    const pending = await storages.of(to).begin(to, base, token);
    processing.begin({ token, target: formatLocation(to), base: formatLocation(base) });
    try {
      await pending.fill(file);
      await pending.commit();
    } catch (error) {
      // a temporary file that cannot be removed now stays recorded
      const isDiscarded = await pending.discard().then(
        () => true,
        () => false,
      );
      if (isDiscarded) processing.end(token);
      throw error;
    }
    processing.end(token);
    return file.facts;
  } finally {
    file.close();
  }
};
