/** Runs work one after the other, in the order in which it was asked for. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

export const createQueue = (): Queue => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
};
