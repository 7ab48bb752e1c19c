import { crashPoints, type CrashPointName, type Moment } from './crash-points.js';

/** Orders a process to die when it reaches a moment for the n-th time, counted from 1. */
export interface CrashOrder {
  readonly moment: Moment;
  readonly time: number;
}

/** Environment variable with the order for the process that is started. */
export const crashOrderVariable = 'FAULTS_CRASH_ORDER';

/** Options of a start, so that the process dies at the crash point. */
export interface ArmedLaunch {
  /** Script that is loaded before the program, from the root of the checkout. */
  readonly preload: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The options that start a program which dies at a crash point. */
export const armedLaunch = (point: CrashPointName, time: number): ArmedLaunch => {
  const order: CrashOrder = { moment: crashPoints[point].moment, time };
  return {
    preload: 'e2e/dist/faults/crash-points/die-on-order.js',
    environment: { [crashOrderVariable]: JSON.stringify(order) },
  };
};
