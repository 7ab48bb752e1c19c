/**
 * The time between SIGTERM and the closing of a process. The process still answers, and says that it ends, so that load
 * balancers send their requests to other processes.
 */
export interface Drain {
  readonly hasBegun: boolean;
  /** Adds a step that runs when the drain begins; at once when it has begun. */
  onBegin(step: () => void): void;
  /** The process answers requests from now on. Before this call nothing waits: no load balancer knows the process. */
  open(durationMs: number): void;
  /** Begins the drain. Resolves when its time is over. Idempotent. */
  run(): Promise<void>;
}

export const createDrain = (): Drain => {
  const steps: (() => void)[] = [];
  let openMs = 0;
  let running: Promise<void> | undefined;

  const begin = async (): Promise<void> => {
    for (const step of steps) step();
    if (openMs > 0) await new Promise((resolve) => setTimeout(resolve, openMs));
  };

  return {
    get hasBegun() {
      return running !== undefined;
    },
    onBegin: (step) => {
      if (running === undefined) steps.push(step);
      else step();
    },
    open: (durationMs) => {
      openMs = durationMs;
    },
    run: () => (running ??= begin()),
  };
};
