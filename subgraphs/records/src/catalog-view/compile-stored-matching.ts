import { keyPropertiesOf, type CompiledModel } from '@fds/model-schema';
import { parseJson } from '@fds/json';
import { compileMatching, type CompiledMatching, type MatchingAlgorithm } from '@fds/matching';

/** A version's algorithm, as the catalog validated and stored it; undefined: EXACT. */
export const compileStoredMatching = (stored: string | null, model: CompiledModel): CompiledMatching | undefined => {
  if (stored === null) return undefined;
  const decimals = keyPropertiesOf(model).flatMap(({ name, format }) => (format === 'decimal' ? name : []));
  return compileMatching(parseJson(stored) as unknown as MatchingAlgorithm, model.drKeyProperties, new Set(decimals));
};
