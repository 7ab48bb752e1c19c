import type { FuzzStage } from '../open-fuzz-stage.js';

/** Faults of the service itself after a campaign: it has ended, logged a defect, or changed a prototype. */
export const faultsOfService = async ({ doors: { service, dgs } }: FuzzStage): Promise<readonly string[]> => {
  const process = service.process();
  if (!process.running) return [`the service has ended: ${process.output().slice(-4_000)}`];
  const health = (await dgs.call('/health')).status;
  const suspicious = process
    .output()
    .split('\n')
    .filter((line) => /A PROTOTYPE HAS CHANGED|uncaught|unhandled|"level":"(?:fatal|error)"|FATAL/i.test(line));
  return [
    ...(health === 200 ? [] : [`/health answers ${health}`]),
    ...suspicious.slice(0, 20).map((line) => `the service printed: ${line.slice(0, 500)}`),
  ];
};

const lagMax = /^nodejs_eventloop_lag_max_seconds ([\d.e+-]+)$/m;

/**
 * The longest time, in milliseconds, in which the service did nothing else since the last question: the delay of its event loop. Work of
 * other processes on the machine counts too, so compare it with the figure of a quiet machine.
 */
export const longestPieceMs = async ({ doors: { dgs } }: FuzzStage): Promise<number> => {
  const [, seconds] = lagMax.exec((await dgs.call('/metrics')).text) ?? [];
  if (seconds === undefined) throw new Error('/metrics does not have the delay of the event loop');
  return Math.round(Number(seconds) * 1000);
};
