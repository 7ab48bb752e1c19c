import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets other work of the process run. Call it between the pieces of long work, and await its answer if it has one: most calls
 * cost no turn.
 */
export type GiveWay = () => Promise<void> | undefined;

/** Other work gets its turn after so many milliseconds. */
const turnMs = 15;

/** @param clock milliseconds of a monotonic clock */
export const createGiveWay = (clock: () => number = () => performance.now()): GiveWay => {
  let turnEndsMs = clock() + turnMs;
  const takeTurn = async (): Promise<void> => {
    await nextTurn();
    turnEndsMs = clock() + turnMs;
  };
  return () => (clock() < turnEndsMs ? undefined : takeTurn());
};

/** Takes all steps of long work, and lets other work run in between. */
export const inTurns = async <Result>(steps: Generator<void, Result>, giveWay = createGiveWay()): Promise<Result> => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = giveWay();
    if (turn !== undefined) await turn;
  }
};
