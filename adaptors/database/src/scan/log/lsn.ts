const numberOf = (lsn: string): bigint => {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
};

/** The later of two positions of the log, such as `0/16B3748`. */
export const laterLsn = (one: string, other: string): string => (numberOf(one) >= numberOf(other) ? one : other);
