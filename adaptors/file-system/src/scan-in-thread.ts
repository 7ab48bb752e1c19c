import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Filter } from './filters/filter.js';
import type { FoundFile, ScanBatch } from './storage/storage.js';
import { reasonOf, StorageFault } from './storage/storage-fault.js';
import type { PackedBatch, ScanAnswer, ScanOrder } from './scan-thread.js';

/** Numbers of each file in the facts of a batch. */
const factsOfFile = 4;

const unpack = ({ paths, facts, unreadable, identity }: PackedBatch): ScanBatch => {
  const names = paths.split('\0');
  const files: FoundFile[] = [];
  for (let index = 0; index < facts.length / factsOfFile; index += 1) {
    const at = index * factsOfFile;
    const file: FoundFile = {
      path: names[index] ?? '',
      size: facts[at] ?? 0,
      modifiedMs: facts[at + 1] ?? 0,
      stamp: Number.isNaN(facts[at + 3]) ? undefined : facts[at + 3],
    };
    files.push(facts[at + 2] === 1 ? { ...file, mayKeepTime: true } : file);
  }
  return { files, unreadable, identity };
};

/**
 * Walks a folder in a thread. The thread reads the next batch while the caller handles the current one.
 *
 * @param uri of the folder, for messages
 * @throws StorageFault AWAY when the folder cannot be read
 */
export async function* scanInThread(
  folder: string,
  uri: string,
  filter: Filter | undefined,
  signal: AbortSignal,
): AsyncGenerator<ScanBatch> {
  const order: ScanOrder = { folder, filter };
  // both files are in the same folder, in dist/ and also in the bundle of the published package
  const thread = new Worker(new URL('scan-thread.js', import.meta.url), { workerData: order });
  const ask = (): Promise<ScanAnswer> => {
    const answer = once(thread, 'message', { signal }).then(([message]) => message as ScanAnswer);
    answer.catch(() => undefined); // avoids an unhandled rejection: the caller may never await an answer that was requested ahead
    thread.postMessage('next', []);
    return answer;
  };
  try {
    for (let coming = ask(); ;) {
      const answer = await coming;
      if ('failed' in answer) {
        throw new StorageFault('AWAY', `the folder ${uri} cannot be read: ${reasonOf(answer)}`, { resource: uri });
      }
      if (!answer.isLast) coming = ask();
      yield unpack(answer);
      if (answer.isLast) return;
    }
  } finally {
    await thread.terminate();
  }
}
