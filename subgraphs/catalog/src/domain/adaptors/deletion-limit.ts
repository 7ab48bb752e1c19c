import type { FaultList } from '@fds/errors';

/** How many of its linked records an adaptor may delete within a time. */
export interface DeletionLimit {
  /** Share of the records of a version that it linked when the first deletion arrived. */
  readonly percent: number;
  /** Deletions that pass in any case. */
  readonly minimum: number;
  readonly seconds: number;
}

/** Members that are left out are unchanged. */
export type DeletionLimitInput = { readonly [Member in keyof DeletionLimit]?: number | bigint | null };

const defaultDeletionLimit: DeletionLimit = { percent: 10, minimum: 100, seconds: 60 };

interface Range {
  readonly least: number;
  readonly most: number;
  readonly isInteger: boolean;
}

const ranges: Readonly<Record<keyof DeletionLimit, Range>> = {
  percent: { least: 0, most: 100, isInteger: false },
  minimum: { least: 0, most: 2_147_483_647, isInteger: true },
  seconds: { least: 1, most: 86_400, isInteger: true },
};

const readMember = (
  member: keyof DeletionLimit,
  input: DeletionLimitInput,
  current: DeletionLimit,
  faults: FaultList,
): number => {
  const given = input[member];
  if (given === undefined || given === null) return current[member];
  const value = Number(given);
  const { least, most, isInteger } = ranges[member];
  if (value >= least && value <= most && (!isInteger || Number.isInteger(value))) return value;
  const kind = isInteger ? 'an integer' : 'a number';
  faults.add(`/deletionLimit/${member}`, 'OUT_OF_RANGE', `must be ${kind} from ${least} to ${most}, not ${value}`);
  return current[member];
};

/** @param current undefined: the adaptor is created; null: it has no limit */
export const readDeletionLimit = (
  input: DeletionLimitInput | null | undefined,
  current: DeletionLimit | null | undefined,
  faults: FaultList,
): DeletionLimit | null => {
  if (input === undefined) return current === undefined ? defaultDeletionLimit : current;
  if (input === null) return null;
  const base = current ?? defaultDeletionLimit;
  return {
    percent: readMember('percent', input, base, faults),
    minimum: readMember('minimum', input, base, faults),
    seconds: readMember('seconds', input, base, faults),
  };
};
