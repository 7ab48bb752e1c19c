import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Ticks of Linux's process statistics in a second. */
const ticksPerSecond = 100;

/** Fields after the name in parentheses: state is the first one. */
const fieldsOf = (pid: number | string): readonly string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

const childrenOf = (pid: number | string): readonly string[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean),
  );

/** Time of a process, of its descendants, and of those that have ended. */
const ticksOf = (pid: number | string): number => {
  try {
    const own = fieldsOf(pid).slice(11, 15);
    return (
      own.reduce((sum, ticks) => sum + Number(ticks), 0) +
      childrenOf(pid).reduce((sum, child) => sum + ticksOf(child), 0)
    );
  } catch {
    // it has ended in the meantime: its parent has its time
    return 0;
  }
};

/** Processor time of a process and its descendants in milliseconds; on Linux only. */
export const processorTimeOf = (pid: number): number | undefined =>
  existsSync(`/proc/${pid}/stat`) ? (ticksOf(pid) * 1_000) / ticksPerSecond : undefined;
