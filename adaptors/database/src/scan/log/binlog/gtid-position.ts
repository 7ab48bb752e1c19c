/** Entries of a MariaDB position, which names the last transaction of each replication domain: `0-1-1234,7-2-5`. */
const entriesOf = (position: string): readonly (readonly [domain: string, entry: string, sequence: bigint])[] =>
  position
    .split(',')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [domain = '', , sequence = '0'] = entry.split('-');
      return [domain, entry, BigInt(sequence)];
    });

/**
 * The position from which the log contains everything that any of these positions lacks. A domain that one of the
 * positions lacks is read from its first transaction.
 */
export const earliestPosition = (positions: readonly string[]): string => {
  const earliest = new Map<string, { readonly entry: string; readonly sequence: bigint; readonly times: number }>();
  for (const [domain, entry, sequence] of positions.flatMap(entriesOf)) {
    const found = earliest.get(domain);
    const times = (found?.times ?? 0) + 1;
    earliest.set(
      domain,
      found === undefined || sequence < found.sequence ? { entry, sequence, times } : { ...found, times },
    );
  }
  return [...earliest.values()]
    .filter(({ times }) => times === positions.length)
    .map(({ entry }) => entry)
    .join(',');
};
