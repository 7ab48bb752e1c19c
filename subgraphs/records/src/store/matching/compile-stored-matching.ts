import { parseJson } from '@fds/json';
import { compileMatching, type CompiledMatching, type MatchingAlgorithm } from '@fds/matching';

/** A version's algorithm, as the catalog validated and stored it; undefined: EXACT. */
export const compileStoredMatching = (
  stored: string | null,
  drKeyProperties: readonly string[],
): CompiledMatching | undefined =>
  stored === null ? undefined : compileMatching(parseJson(stored) as unknown as MatchingAlgorithm, drKeyProperties);
