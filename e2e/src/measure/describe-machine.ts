import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** The machine of the measurement. */
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

/** Load average of the last minute. If it is above the number of cores, other work influenced the figures. */
export const currentLoad = (): number => Number((loadavg()[0] ?? 0).toFixed(2));
