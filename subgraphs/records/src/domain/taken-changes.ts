/** Changes of the log that were taken: all up to a position, and some beyond it that were looked up ahead of the log's reader. */
export interface TakenChanges {
  readonly upTo: bigint;
  readonly beyond: ReadonlySet<bigint>;
}

export const isTaken = ({ upTo, beyond }: TakenChanges, position: bigint): boolean =>
  position <= upTo || beyond.has(position);

/** With changes that were taken out of turn: one below them may still be to come. */
export const withTaken = ({ upTo, beyond }: TakenChanges, positions: readonly bigint[]): TakenChanges => ({
  upTo,
  beyond: new Set([...beyond, ...positions]),
});

/** With all changes that the log's reader has delivered, up to a position. */
export const advanceTaken = ({ upTo, beyond }: TakenChanges, position: bigint): TakenChanges => {
  const reached = position > upTo ? position : upTo;
  return { upTo: reached, beyond: new Set([...beyond].filter((each) => each > reached)) };
};
