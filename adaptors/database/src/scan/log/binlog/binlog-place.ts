/** A place in the binary log of one server: a file and an offset in it. */
export interface BinlogPlace {
  readonly file: string;
  readonly offset: number;
}

/** Files of the log are numbered: `mysql-bin.000002`. */
const numberOf = ({ file }: BinlogPlace): number => Number(/\.(\d+)$/.exec(file)?.[1] ?? 0);

/** Is the first place after the second one? */
export const isBehind = (one: BinlogPlace, other: BinlogPlace): boolean =>
  numberOf(one) === numberOf(other) ? one.offset > other.offset : numberOf(one) > numberOf(other);
