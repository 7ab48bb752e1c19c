import type { FuzzStage } from '../open-fuzz-stage.js';

/** Faults of the service itself after a campaign: it has ended, logged a defect, or changed a prototype. */
export const faultsOfService = async ({ doors: { service, dgs } }: FuzzStage): Promise<readonly string[]> => {
  const process = service.process();
  if (!process.running) return [`the service has ended: ${process.output().slice(-4_000)}`];
  const health = (await dgs.call('/health')).status;
  const suspicious = process
    .output()
    .split('\n')
    .filter((line) => /A PROTOTYPE HAS CHANGED|uncaught|unhandled|"level":[56]0\b|FATAL/i.test(line));
  return [
    ...(health === 200 ? [] : [`/health answers ${health}`]),
    ...suspicious.slice(0, 20).map((line) => `the service printed: ${line.slice(0, 500)}`),
  ];
};
