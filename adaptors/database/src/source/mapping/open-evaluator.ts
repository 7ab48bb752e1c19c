import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { EvaluationItem, EvaluationOrder, EvaluationResult } from './evaluation-thread.js';

/** Evaluates the expressions of one table in a separate thread, which starts when it is needed and ends when it is idle. */
export interface Evaluator {
  /** @returns the results of the items, in order. An item that holds up or breaks the thread has a fault */
  evaluate(items: readonly EvaluationItem[]): Promise<readonly EvaluationResult[]>;
}

/** Items that are passed to the thread at once: copying them holds up the process. */
const maxItems = 100;
const maxCharacters = 1024 * 1024;

/** The thread is ended if it makes no progress for two of these pauses. */
const watchMs = 500;
const idleMs = 30_000;

/** The file of the thread. In a packed adaptor, this module is part of a file in the folder above. */
const threadFile = (['evaluation-thread.js', 'source/mapping/evaluation-thread.js'] as const)
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

const limits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [name, one]) => sum + name.length + charactersOf(one), 8);
};

const inParts = (items: readonly EvaluationItem[]): readonly (readonly EvaluationItem[])[] => {
  const parts: EvaluationItem[][] = [];
  let left = 0;
  for (const item of items) {
    const size = charactersOf(item);
    const last = parts.at(-1);
    if (last === undefined || last.length === maxItems || left < size) {
      parts.push([item]);
      left = maxCharacters - size;
    } else {
      last.push(item);
      left -= size;
    }
  }
  return parts;
};

const broken = ({ places }: EvaluationItem, message: string): EvaluationResult => ({
  values: {},
  missing: [],
  fault: { place: places[0] ?? '', message },
});

/** The thread made no progress, or ended. */
interface Stuck {
  /** The place of the item that is the reason. Undefined: any of the items may be, or all of them together. */
  readonly at: number | undefined;
  readonly message: string;
}

/** @param order the expressions and tables of codes */
export const openEvaluator = (order: Omit<EvaluationOrder, 'progress'>): Evaluator => {
  let thread: { readonly worker: Worker; readonly progress: Int32Array } | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    const ending = thread;
    thread = undefined;
    await ending?.worker.terminate();
  };
  const start = (): NonNullable<typeof thread> => {
    const progress = new Int32Array(new SharedArrayBuffer(4));
    const workerData: EvaluationOrder = { ...order, progress };
    if (threadFile === undefined) throw new Error('the adaptor lacks the file evaluation-thread.js: install it again');
    const worker = new Worker(threadFile, {
      workerData,
      resourceLimits: limits,
      env: {},
    });
    // without it, a failure between two requests would end the process
    worker.on('error', () => undefined);
    worker.unref();
    return { worker, progress };
  };

  /** Sends items to the thread. Resolves with their results, or with the reason why it has none. */
  const ask = async (items: readonly EvaluationItem[]): Promise<readonly EvaluationResult[] | Stuck> => {
    thread ??= start();
    const { worker, progress } = thread;
    const done = new AbortController();
    const { signal } = done;
    Atomics.store(progress, 0, 0);
    worker.ref();
    let [seen, pauses] = [-1, 0];
    let watching: NodeJS.Timeout | undefined;
    const stuck = new Promise<Stuck>((resolve) => {
      const at = (): number => Atomics.load(progress, 0);
      worker.once('exit', () => resolve({ at: undefined, message: 'needs more memory than an expression may use' }));
      watching = setInterval(() => {
        pauses = seen === at() ? pauses + 1 : 0;
        seen = at();
        if (pauses >= 2) resolve({ at: seen, message: `takes longer than ${2 * watchMs} ms` });
      }, watchMs);
    });
    const answer = once(worker, 'message', { signal }).then(([results]) => results as readonly EvaluationResult[]);
    answer.catch(() => undefined);
    worker.postMessage(items, []);
    try {
      return await Promise.race([answer.catch(() => stuck), stuck]);
    } finally {
      clearInterval(watching);
      done.abort();
      worker.removeAllListeners('exit');
      worker.unref();
    }
  };

  const evaluatePart = async (items: readonly EvaluationItem[]): Promise<readonly EvaluationResult[]> => {
    if (items.length === 0) return [];
    const answer = await ask(items);
    if (!('message' in answer)) return answer;
    await end();
    const { at = items.length, message } = answer;
    const reason = items[at];
    if (reason !== undefined)
      return [
        ...(await evaluatePart(items.slice(0, at))),
        broken(reason, message),
        ...(await evaluatePart(items.slice(at + 1))),
      ];
    if (items.length === 1) return items.map((item) => broken(item, message));
    const half = Math.ceil(items.length / 2);
    return [...(await evaluatePart(items.slice(0, half))), ...(await evaluatePart(items.slice(half)))];
  };

  return {
    evaluate: (items) => {
      const work = turn.then(async () => {
        clearTimeout(idle);
        const results: EvaluationResult[] = [];
        for (const part of inParts(items)) results.push(...(await evaluatePart(part)));
        idle = setTimeout(() => void end(), idleMs).unref();
        return results;
      });
      turn = work.catch(() => undefined);
      return work;
    },
  };
};
