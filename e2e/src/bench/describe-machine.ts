import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** On what the figures were measured. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cpuModel: string;
  readonly cpuCount: number;
  readonly memoryGib: number;
}

export const describeMachine = (): Machine => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
  cpuCount: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
});

/** Load average of the last minute. Above the number of cores, somebody else was measured too. */
export const currentLoad = (): number => Number((loadavg()[0] ?? 0).toFixed(2));
