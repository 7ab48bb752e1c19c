import type { Completeness } from '../open-window.js';

const gravity: Readonly<Record<Completeness['outcome'], number>> = {
  ANSWERED: 0,
  DENIED: 1,
  DOWN: 2,
  FAILED: 3,
  LATE: 4,
};

const worse = (one: Completeness, other: Completeness): Completeness => ({
  ...(gravity[other.outcome] > gravity[one.outcome] ? other : one),
  milliseconds: Math.max(one.milliseconds, other.milliseconds),
});

/** The outcome of each adaptor over all windows: the worst one, and the longest time. */
export const totalCompleteness = (windows: readonly (readonly Completeness[])[]): Completeness[] => {
  const named = new Map<string, Completeness>();
  let denied: Completeness[] = [];
  for (const window of windows) {
    for (const one of window) {
      if (one.adaptorUuid === null) continue;
      const before = named.get(one.adaptorUuid);
      named.set(one.adaptorUuid, before === undefined ? one : worse(before, one));
    }
    const here = window.filter(({ adaptorUuid }) => adaptorUuid === null);
    if (here.length > denied.length) denied = here;
  }
  return [...named.values(), ...denied];
};
