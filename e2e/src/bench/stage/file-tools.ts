import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import {
  copyFile,
  createMonitoredFolder,
  openProcessingState,
  openStorages,
  parseLocation,
  type FoundFile,
  scanFolder,
} from '@fds/file-system-adaptor';
import type { Leftovers } from '../../harness/leftovers.js';

/** Copies files like the file-system adaptor, with its state of running copies in the folder. */
export const openFileCopier = (
  folder: string,
  leftovers: Leftovers,
): ((from: string, to: string) => Promise<unknown>) => {
  const storages = openStorages(undefined);
  const processing = openProcessingState(join(folder, 'state'), 'processing');
  leftovers.add(() => processing.close());
  return (from, to) =>
    copyFile(
      {
        from: parseLocation(from),
        within: [parseLocation(dirname(from))],
        to: parseLocation(to),
        base: parseLocation(dirname(to)),
        replaced: 'ANY',
      },
      { storages, processing, newUuid: randomUUID },
    );
};

/** Scans of a folder by the file-system adaptor. */
export interface FolderScan {
  /** Files that the first scan found. */
  readonly known: number;
  /** Scans again and compares. Returns the number of changes. */
  again(): Promise<number>;
}

export const openFolderScan = async (folder: string, leftovers: Leftovers): Promise<FolderScan> => {
  const uri = parseLocation(folder);
  const storages = openStorages(undefined);
  leftovers.add(() => storages.close());
  const monitored = createMonitoredFolder([]);
  const scan = async (): Promise<number> => {
    const found: FoundFile[] = [];
    await scanFolder({
      path: { uri, filter: undefined },
      storage: storages.of(uri),
      folder: monitored,
      knownDigest: () => undefined,
      mayDelete: () => true,
      recognize: () => undefined,
      emit: (changes) => {
        monitored.settled(changes);
        found.push(...changes.map(({ file }) => file));
        return Promise.resolve();
      },
      signal: new AbortController().signal,
    });
    return found.length;
  };
  await scan();
  return { known: monitored.size, again: scan };
};
