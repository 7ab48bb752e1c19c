import { closestMatch } from 'leven';

/** Maximum distance of a name that is a useful suggestion. */
const maxDistanceOf = (name: string): number => Math.max(2, Math.floor(name.length / 3));

/** ` (nearest: "name")`; empty when no candidate is near enough. */
export const nearestTo = (name: string, candidates: readonly string[]): string => {
  const sameLetters = candidates.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const nearest = sameLetters ?? closestMatch(name, candidates, { maxDistance: maxDistanceOf(name) });
  return nearest === undefined ? '' : ` (nearest: ${JSON.stringify(nearest)})`;
};
