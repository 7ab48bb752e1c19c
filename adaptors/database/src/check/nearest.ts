import { closestMatch } from 'leven';

/** A name that is further away is no useful suggestion. */
const maxDistanceOf = (name: string): number => Math.max(2, Math.floor(name.length / 3));

/** ` (nearest: "name")`, or nothing when no candidate is near. */
export const nearestTo = (name: string, candidates: readonly string[]): string => {
  const sameLetters = candidates.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const nearest = sameLetters ?? closestMatch(name, candidates, { maxDistance: maxDistanceOf(name) });
  return nearest === undefined ? '' : ` (nearest: ${JSON.stringify(nearest)})`;
};
