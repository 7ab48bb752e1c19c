import { StorageFault } from '../storage/storage-fault.js';

/** Routes to targets, some of which may not be available. One attempt at a time checks whether a route works again. */
export interface AwayRoutes {
  /**
   * Does the work unless the route is closed. After a failure with AWAY, the route is closed for a time that grows with
   * each failure.
   *
   * @throws StorageFault AWAY, with the reason of the first failure, while the route is closed
   */
  attempt<T>(route: string, work: () => Promise<T>): Promise<T>;
}

interface Rest {
  readonly fault: StorageFault;
  readonly untilMs: number;
  readonly times: number;
}

const firstRestMs = 200;
const longestRestMs = 30_000;

/** @param onAway called when a route fails for the first time, @param onBack when it works again */
export const createAwayRoutes = (
  nowMs: () => number,
  onAway: (route: string, fault: StorageFault) => Promise<void>,
  onBack: (route: string) => void,
): AwayRoutes => {
  const resting = new Map<string, Rest>();
  return {
    attempt: async (route, work) => {
      const rest = resting.get(route);
      if (rest !== undefined && nowMs() < rest.untilMs) throw rest.fault;
      try {
        const result = await work();
        if (resting.delete(route)) onBack(route);
        return result;
      } catch (error) {
        if (!(error instanceof StorageFault) || error.kind !== 'AWAY') throw error;
        const times = (resting.get(route)?.times ?? 0) + 1;
        const untilMs = nowMs() + Math.min(longestRestMs, firstRestMs * 2 ** Math.min(times - 1, 10));
        resting.set(route, { fault: rest?.fault ?? error, untilMs, times });
        await onAway(route, rest?.fault ?? error);
        throw error;
      }
    },
  };
};
