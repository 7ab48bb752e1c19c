/** Do at most so many insertions, deletions and replacements of a character make one text of the other? */
export const withinEdits = (first: string, second: string, maxEdits: number): boolean => {
  const [a, b] = [Array.from(first), Array.from(second)];
  if (Math.abs(a.length - b.length) > maxEdits) return false;
  let before = b.map((_, index) => index);
  before.push(b.length);
  for (const [row, character] of a.entries()) {
    const next = [row + 1];
    for (const [column, other] of b.entries()) {
      const replaced = (before[column] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (before[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = next;
  }
  return (before[b.length] ?? 0) <= maxEdits;
};
