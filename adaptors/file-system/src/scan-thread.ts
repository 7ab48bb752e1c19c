// Thread of one scan: a folder that answers slowly, or not at all, does not block the rest of the adaptor.
import { parentPort, workerData } from 'node:worker_threads';
import { compileFilter } from './filters/compile-filter.js';
import type { Filter } from './filters/filter.js';
import type { FolderIdentity, Unreadable } from './storage/storage.js';
import { codeOf } from './storage/storage-fault.js';
import { openWalkedFolder } from './storage/local/walk-folder.js';

/** The task of a scan thread. */
export interface ScanOrder {
  readonly folder: string;
  readonly filter: Filter | undefined;
}

/** A batch that is passed between threads. One text and one list of numbers are copied faster than objects. */
export interface PackedBatch {
  /** Paths, each followed by a NUL. */
  readonly paths: string;
  /** Size and time of each path, 1 where it may change once more without another time, and its stamp (NaN: unknown). */
  readonly facts: Float64Array;
  readonly unreadable: readonly Unreadable[];
  readonly identity: FolderIdentity;
  readonly isLast: boolean;
}

export type ScanAnswer = PackedBatch | { readonly failed: string; readonly code: string };

const batchSize = 4_096;
/** Numbers of each file in `facts`. */
const factsOfFile = 4;

const { folder, filter } = workerData as ScanOrder;
const port = parentPort;

const walk = (): (() => PackedBatch) => {
  const opened = openWalkedFolder(folder);
  const { identity } = opened;
  const steps = opened.walk(filter === undefined ? undefined : compileFilter(filter));
  return () => {
    const facts = new Float64Array(batchSize * factsOfFile);
    const unreadable: Unreadable[] = [];
    let paths = '';
    let files = 0;
    let isLast = false;
    while (files < batchSize && unreadable.length < batchSize) {
      const next = steps.next();
      if (next.done === true) {
        isLast = true;
        opened.close();
        break;
      }
      if ('unreadable' in next.value) {
        unreadable.push(next.value.unreadable);
        continue;
      }
      const { path, size, modifiedMs, mayKeepTime, stamp } = next.value.file;
      paths += `${path}\0`;
      facts[files * factsOfFile] = size;
      facts[files * factsOfFile + 1] = modifiedMs;
      facts[files * factsOfFile + 2] = mayKeepTime === true ? 1 : 0;
      facts[files * factsOfFile + 3] = typeof stamp === 'number' ? stamp : NaN;
      files += 1;
    }
    return { paths, facts: facts.subarray(0, files * factsOfFile), unreadable, identity, isLast };
  };
};

let nextBatch: (() => PackedBatch) | undefined;
port?.on('message', () => {
  let answer: ScanAnswer;
  try {
    nextBatch ??= walk();
    answer = nextBatch();
  } catch (error) {
    answer = { failed: error instanceof Error ? error.message : String(error), code: codeOf(error) };
  }
  port.postMessage(answer);
});
