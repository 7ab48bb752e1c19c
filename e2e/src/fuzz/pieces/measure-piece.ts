import type { ServiceInUse } from '../../harness/service.js';

const printed = /^A PIECE OF (\d+) MS FROM (\d+) TO (\d+)$/gm;

/** A piece of work of the service: its processor time, and when it ran, as epoch milliseconds. */
export interface Piece {
  readonly ms: number;
  readonly from: number;
  readonly to: number;
}

const none: Piece = { ms: 0, from: 0, to: 0 };

const longestPieceIn = (output: string): Piece =>
  Array.from(output.matchAll(printed), ([, ms, from, to]) => ({
    ms: Number(ms),
    from: Number(from),
    to: Number(to),
  })).reduce((one, other) => (other.ms > one.ms ? other : one), none);

/**
 * Does something, and measures the longest piece of work of the service in the meantime, in milliseconds of processor time. 0 means that all
 * were too short to be printed.
 */
export const measurePiece = async <T>(
  { process, baseUrl }: Pick<ServiceInUse, 'process' | 'baseUrl'>,
  send: () => Promise<T>,
): Promise<{ readonly result: T } & Piece> => {
  const settle = async (): Promise<string> => {
    // the timer that prints runs between the two answers
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${baseUrl}/health/live`)).text();
    return process().output();
  };
  const from = (await settle()).length;
  const result = await send();
  return { result, ...longestPieceIn((await settle()).slice(from)) };
};
