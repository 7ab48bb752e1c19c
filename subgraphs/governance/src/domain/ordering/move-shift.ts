/** Entries from one position up to another (exclusive) that move forward or back by a number of places. */
export interface PositionShift {
  readonly gte: number;
  /** Default: to the end. */
  readonly lt?: number;
  readonly by: number;
}

/** Makes room for an entry that moves within its list. */
export const moveShift = (from: number, to: number): PositionShift | undefined => {
  if (from === to) return undefined;
  return from < to ? { gte: from + 1, lt: to + 1, by: -1 } : { gte: to, lt: from, by: 1 };
};

/** The positions of a shift, as a condition of a statement. */
export const placesOf = ({ gte, lt }: PositionShift) => ({ position: lt === undefined ? { gte } : { gte, lt } });
