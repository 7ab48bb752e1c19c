import { StorageFault } from '../storage/storage-fault.js';

/** Ways between two storages, of which some are away. One attempt at a time finds out whether a way is back. */
export interface AwayRoutes {
  /**
   * Does the work if the route is not known to be away. After a failure the route rests, longer each time.
   *
   * @throws StorageFault AWAY, with the reason of the first failure, while the route rests
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

/** @param onAway called when a route goes away, @param onBack when it is back */
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
