const numberOf = (lsn: string): bigint => {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
};

/** The later of two positions of the log, such as `0/16B3748`. */
export const laterLsn = (one: string, other: string): string => (numberOf(one) >= numberOf(other) ? one : other);

/** The position one byte before; undefined for the beginning of the log. */
export const lsnBefore = (lsn: string): string | undefined => {
  const before = numberOf(lsn) - 1n;
  if (before < 0n) return undefined;
  return `${(before >> 32n).toString(16)}/${(before & 0xffffffffn).toString(16)}`.toUpperCase();
};
