import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the condition holds. @throws Error after the deadline */
export const eventually = async (condition: () => boolean | Promise<boolean>, deadlineMs = 15_000): Promise<void> => {
  const end = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`did not hold within ${deadlineMs} ms: ${condition.toString()}`);
    await sleep(10);
  }
};
