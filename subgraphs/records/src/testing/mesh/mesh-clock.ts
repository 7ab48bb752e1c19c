/** A clock that jumps from task to task. Tasks of one moment run in the order in which they were set. */
export interface MeshClock {
  readonly nowMs: number;
  after(delayMs: number, task: () => void): void;
  /** @returns whether every task was run; false: there are still some after so many */
  run(maxTasks: number): boolean;
}

interface Task {
  readonly atMs: number;
  readonly run: () => void;
}

export const createMeshClock = (): MeshClock => {
  const tasks: Task[] = [];
  let nowMs = 0;
  return {
    get nowMs() {
      return nowMs;
    },
    after: (delayMs, run) => {
      const atMs = nowMs + delayMs;
      const place = tasks.findLastIndex((task) => task.atMs <= atMs);
      tasks.splice(place + 1, 0, { atMs, run });
    },
    run: (maxTasks) => {
      for (let done = 0; done < maxTasks; done += 1) {
        const task = tasks.shift();
        if (task === undefined) return true;
        nowMs = task.atMs;
        task.run();
      }
      return tasks.length === 0;
    },
  };
};
