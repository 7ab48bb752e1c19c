import type { ServiceInUse } from '../../harness/service.js';

const printed = /^A PIECE OF (\d+) MS$/gm;

/** Longest piece of work of the service in milliseconds of processor time, 0 when all are too short to be printed. */
const longestPieceIn = (output: string): number =>
  Math.max(0, ...Array.from(output.matchAll(printed), ([, ms]) => Number(ms)));

/** Sends input and measures the longest piece of work that the service does in the meantime. */
export const measurePiece = async (
  { process, baseUrl }: Pick<ServiceInUse, 'process' | 'baseUrl'>,
  send: () => Promise<void>,
): Promise<number> => {
  const settle = async (): Promise<string> => {
    // the timer that prints runs between the two answers
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${baseUrl}/health/live`)).text();
    return process().output();
  };
  const from = (await settle()).length;
  await send();
  return longestPieceIn((await settle()).slice(from));
};
