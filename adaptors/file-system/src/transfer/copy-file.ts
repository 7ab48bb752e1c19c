import type { ProcessingState } from '../state/processing-state.js';
import type { Storages } from '../storage/open-storages.js';
import type { Replaced } from '../storage/storage.js';
import { formatLocation, type Location } from '../uris/location.js';

/** A copy to make. */
export interface CopyOrder {
  readonly from: Location;
  /** Folders that may be read. */
  readonly within: readonly Location[];
  readonly to: Location;
  readonly base: Location;
  readonly replaced: Replaced;
  /** The file's record and the fingerprint of its content, for a copy that is made for an event. */
  readonly made?: { readonly record: string; readonly fingerprint: string };
}

export interface CopyTools {
  readonly storages: Storages;
  readonly processing: ProcessingState;
  readonly newUuid: () => string;
}

/**
 * Copies a file: writes it under a temporary name next to its target, checks its length and digest, makes it durable,
 * and gives it its name. At every moment, the target has its old or its new content. The temporary name is stored first,
 * so that the next start can remove the file that a crash left, and recognises a copy that got its name before the crash.
 *
 * @throws StorageFault
 */
export const copyFile = async (order: CopyOrder, tools: CopyTools): Promise<void> => {
  const { from, within, to, base, replaced, made } = order;
  const { storages, processing } = tools;
  const token = tools.newUuid();
  const [target, baseUri] = [formatLocation(to), formatLocation(base)];
  const { record = null, fingerprint = '' } = made ?? {};
  const file = await storages.of(from).open(from, within);
  try {
    const pending = await storages.of(to).begin(to, base, token);
    try {
      processing.begin({ token, target, base: baseUri, record, fingerprint });
      const mark = await pending.fill(file);
      if (made !== undefined && mark !== undefined) processing.filled(token, mark);
      const written = await pending.commit(replaced);
      if (record === null) processing.end(token);
      else processing.made(record, { target, base: baseUri, fingerprint }, written, token);
    } catch (error) {
      // a temporary file that cannot be removed now stays recorded
      const isDiscarded = await pending.discard().then(
        () => true,
        () => false,
      );
      if (isDiscarded) processing.end(token);
      throw error;
    }
  } finally {
    await file.close();
  }
};
