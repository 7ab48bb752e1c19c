import { isDeepStrictEqual } from 'node:util';
import { CheckFailure, type World } from './open-world.js';

/** @throws CheckFailure that shows both values */
export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected))
    throw new CheckFailure(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
};

/** @throws CheckFailure */
export const expectThat = (what: string, condition: boolean): void => {
  if (!condition) throw new CheckFailure(what);
};

/**
 * Compares a property of a record, if the adaptor keeps records. Otherwise the check relies on the acknowledgements.
 *
 * @throws CheckFailure that shows both values
 */
export const expectValue = async (world: World, id: string, expected: string): Promise<void> => {
  if (!world.keepsRecords) return;
  expectEqual(`record ${id}`, (await world.read(id))?.[world.property], expected);
};
