import type { ServiceInUse } from '../../harness/service.js';

const printed = /^A PIECE OF (\d+) MS$/gm;

/** Longest piece of work of the service in milliseconds of processor time, 0 when all are too short to be printed. */
const longestPieceIn = (output: string): number =>
  Array.from(output.matchAll(printed), ([, ms]) => Number(ms)).reduce((one, other) => Math.max(one, other), 0);

/**
 * Does something, and measures the longest piece of work of the service in the meantime, in milliseconds of processor time. 0 means that all
 * were too short to be printed.
 */
export const measurePiece = async <T>(
  { process, baseUrl }: Pick<ServiceInUse, 'process' | 'baseUrl'>,
  send: () => Promise<T>,
): Promise<{ readonly result: T; readonly ms: number }> => {
  const settle = async (): Promise<string> => {
    // the timer that prints runs between the two answers
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${baseUrl}/health/live`)).text();
    return process().output();
  };
  const from = (await settle()).length;
  const result = await send();
  return { result, ms: longestPieceIn((await settle()).slice(from)) };
};
