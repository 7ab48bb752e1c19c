import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Notes when the machine itself stood still, apart from the product: other work has its processors or its disk. */
export interface MachineWatch {
  /** The part of a span in which it stood still, in milliseconds. The span is given by `performance.now`. */
  stalledMs(from: number, to: number): number;
  close(): Promise<void>;
}

const everyMs = 250;
/** A file is written and this process gets its turn within so many milliseconds on a machine with some load. */
const usualMs = 250;

/** Writes a small file to the disk again and again. */
export const openMachineWatch = async (folder: string): Promise<MachineWatch> => {
  const file = await open(join(folder, 'machine-watch'), 'w');
  const stalls: (readonly [from: number, to: number])[] = [];
  const ends = new AbortController();
  let dueMs = performance.now();

  const watch = async (): Promise<void> => {
    while (!ends.signal.aborted) {
      await file.write('x', 0);
      await file.sync();
      const now = performance.now();
      if (now - dueMs > usualMs) stalls.push([dueMs, now]);
      dueMs = now + everyMs;
      await delay(everyMs, undefined, { signal: ends.signal }).catch(() => undefined);
    }
  };
  const watching = watch();

  return {
    stalledMs: (from, to) => {
      const now = performance.now();
      const all = now - dueMs > usualMs ? [...stalls, [dueMs, now] as const] : stalls;
      return all.reduce((sum, [began, ended]) => sum + Math.max(0, Math.min(to, ended) - Math.max(from, began)), 0);
    },
    close: async () => {
      ends.abort();
      await watching;
      await file.close();
    },
  };
};
