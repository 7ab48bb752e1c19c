import { setTimeout as delay } from 'node:timers/promises';

const deadlineMs = 8_000;
const intervalMs = 15;

/** Asks until the expectation holds; throws its last failure at the deadline. */
export const eventually = async (expectation: () => Promise<void> | void): Promise<void> => {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await expectation();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(intervalMs);
    }
  }
};
