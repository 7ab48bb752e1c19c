/**
 * The contiguous finished prefix of messages that finish in any order: the only position that may be acknowledged.
 */
export interface FinishedPrefix {
  /** All messages up to this number are finished. */
  readonly upto: number;
  readonly beyond: ReadonlySet<number>;
}

export const finishedPrefix = (upto: number): FinishedPrefix => ({ upto, beyond: new Set() });

/** Notes that a message is finished. A second call for the same message changes nothing. */
export const finish = (prefix: FinishedPrefix, sequence: number): FinishedPrefix => {
  if (sequence <= prefix.upto) return prefix;
  if (sequence === prefix.upto + 1 && prefix.beyond.size === 0) return { upto: sequence, beyond: prefix.beyond };
  const beyond = new Set(prefix.beyond).add(sequence);
  let upto = prefix.upto;
  while (beyond.delete(upto + 1)) upto += 1;
  return { upto, beyond };
};
