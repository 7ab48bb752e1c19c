import { crashPointNames, crashPoints, type CrashPointName } from '../crash-points/crash-points.js';

/** Processes that are killed with SIGKILL. SERVER includes the embedded broker. */
export const killKinds = [
  'SERVER',
  'SECOND_SERVER',
  'SOURCE',
  'DESTINATION',
  'BROKER',
  'DATABASE',
  'BACKEND',
  'SERVER_AND_DATABASE',
] as const;
export type KillKind = (typeof killKinds)[number];

/** Other disturbances of an adaptor's wire. */
const disturbances = ['CUT', 'HALF_OPEN', 'STALL'] as const;
export type Disturbance = (typeof disturbances)[number];

/** One kill in the middle of the stream. */
export interface Blow {
  /** Share of the events between the previous blow and this one after which it happens, from 0 to 1. */
  readonly after: number;
  readonly kill:
    | { readonly kind: KillKind }
    | { readonly kind: 'CRASH_POINT'; readonly point: CrashPointName; readonly time: number };
  /** Disturbance of a destination's wire just before the kill. */
  readonly disturbance: Disturbance | undefined;
  /** Number that selects the destination, if the blow concerns one: any number. */
  readonly destination: number;
}

export interface PlanOptions {
  readonly kills: number;
  /** The processes that can be killed. A second server and a separate broker exist only with an external broker. */
  readonly kinds: readonly KillKind[];
  /** Share of the kills that happen at crash points, from 0 to 1. */
  readonly atCrashPoints: number;
  /** Share of the kills that are combined with a disturbance, from 0 to 1. */
  readonly disturbed: number;
  readonly random: () => number;
}

const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
  items
    .map((item) => [random(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);

/** Returns all items in turn, in a new order in each round. */
const inTurn = <T>(items: readonly T[], random: () => number): (() => T) => {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = shuffled(items, random);
    const next = left.pop();
    if (next === undefined) throw new RangeError('there is nothing to hand out');
    return next;
  };
};

/** The blows of a run. The same options and random numbers give the same plan. */
export const planBlows = ({ kills, kinds, atCrashPoints, disturbed, random }: PlanOptions): Blow[] => {
  const nextKind = inTurn(kinds, random);
  const nextPoint = inTurn(crashPointNames, random);
  const nextDisturbance = inTurn(disturbances, random);
  return Array.from({ length: kills }, () => {
    const isCrashPoint = random() < atCrashPoints;
    const point = isCrashPoint ? nextPoint() : undefined;
    return {
      after: random(),
      kill:
        point === undefined
          ? { kind: nextKind() }
          : { kind: 'CRASH_POINT', point, time: 1 + Math.floor(random() * crashPoints[point].latest) },
      disturbance: random() < disturbed ? nextDisturbance() : undefined,
      destination: Math.floor(random() * 1_000_000),
    };
  });
};
