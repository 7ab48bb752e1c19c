import { residentMib } from '../../measure/resident-memory.js';

const everyMs = 50;

/** Maximum growth in MiB of the resident memory of a process during the work (Linux). */
export const residentGrowth = async (pid: number, work: () => Promise<void>): Promise<number> => {
  const before = residentMib(pid);
  let most = before;
  const look = (): void => {
    most = Math.max(most, residentMib(pid));
  };
  const timer = setInterval(look, everyMs);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
  }
  return Math.round(most - before);
};
