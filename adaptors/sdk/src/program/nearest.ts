/** Maximum distance of a name that is a useful suggestion. */
const maxDistanceOf = (name: string): number => Math.max(2, Math.floor(name.length / 3));

/** Number of letters to insert, remove or replace to make one text from the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1];
    for (const [column, otherLetter] of Array.from(other).entries()) {
      const [left = 0, above = 0, before = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, before + (letter === otherLetter ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** ` (nearest: "name")`; empty when no candidate is near enough. */
export const nearestTo = (name: string, candidates: readonly string[]): string => {
  const sameLetters = candidates.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const most = maxDistanceOf(name);
  const near = candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= most)
    .map((candidate) => ({ candidate, away: distance(name, candidate) }))
    .filter(({ away }) => away <= most)
    .sort((one, other) => one.away - other.away);
  const nearest = sameLetters ?? near[0]?.candidate;
  return nearest === undefined ? '' : ` (nearest: ${JSON.stringify(nearest)})`;
};
