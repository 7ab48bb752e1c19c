/** Compares code points, as PostgreSQL's collation "C" does. */
export const compareText = (first: string, second: string): number => {
  const [a, b] = [Array.from(first), Array.from(second)];
  for (const [index, character] of a.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
};
