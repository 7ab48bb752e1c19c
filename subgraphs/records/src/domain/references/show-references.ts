import type { JsonObject, JsonValue } from '@fds/json';
import {
  createPlaceReader,
  fillPlace,
  linkPlaces,
  replacePlaces,
  type ReferringRecord,
  type ShowingContext,
} from '@fds/references';
import { toKeyValue } from './resolve-references.js';

/** Shows the DR Key of its target in the place of each reference; a value that leads to nothing stays. */
export const showKeys = async (
  { catalog, load }: ShowingContext,
  records: readonly ReferringRecord[],
): Promise<readonly JsonObject[]> => {
  const linked = await linkPlaces(records.map(createPlaceReader(catalog, { lists: 'EACH' })), load);
  return records.map((record, index) => {
    const keys = new Map<string, JsonValue | undefined>();
    for (const { place, records: found } of linked?.[index] ?? []) {
      const shown = found.map(({ drKey }) => toKeyValue(drKey));
      keys.set(place.pointer, fillPlace<JsonValue>(place, shown));
    }
    return keys.size === 0 ? record.json : replacePlaces(record, 'EACH', (pointer) => keys.get(pointer));
  });
};

/** A reference of a record by the property that has it. */
export interface ShownReference {
  /** Dotted path. */
  readonly property: string;
  readonly uuid: string;
}

/** The references of records: their values in the order of their data, then the results of their models' queries. */
export const showReferences = async (
  { catalog, load }: ShowingContext,
  records: readonly ReferringRecord[],
): Promise<readonly (readonly ShownReference[])[]> => {
  const linked = await linkPlaces(records.map(createPlaceReader(catalog, { lists: 'EACH' })), load);
  return records.map(
    (_, index) =>
      linked?.[index]?.flatMap(({ place, records: found }) =>
        found.map(({ uuid }) => ({ property: place.path, uuid })),
      ) ?? [],
  );
};
