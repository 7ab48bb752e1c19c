import type { JsonObject, JsonValue } from '@fds/json';
import { mapReferences } from '@fds/model-schema';
import type { LinkedVersions } from './linked-version.js';
import type { LinkRequest } from './reference-links.js';
import type { ListPlaces, ReferencePlace, ReferringRecord } from './reference-places.js';

/** A record that a reference leads to, with its data. */
export interface ReferencedRecord {
  readonly uuid: string;
  readonly drKey: JsonObject;
  /** Null: only the DR Key is known. */
  readonly json: JsonObject | null;
  /** Properties that may be seen, where that is not all of them. */
  readonly visible?: ReadonlySet<string>;
}

export interface ShowingContext {
  readonly catalog: LinkedVersions;
  /** Looks up all requests at once; undefined where they lead to more records than an answer may have. */
  readonly load: (requests: readonly LinkRequest[]) => Promise<readonly (readonly ReferencedRecord[])[] | undefined>;
}

/** A place with the records that it leads to. */
export interface LinkedPlace {
  readonly place: ReferencePlace;
  readonly records: readonly ReferencedRecord[];
}

/** Looks up the places of several records at once; undefined as `load` says. */
export const linkPlaces = async (
  placesOfRecords: readonly (readonly ReferencePlace[])[],
  load: ShowingContext['load'],
): Promise<readonly (readonly LinkedPlace[])[] | undefined> => {
  const requests = placesOfRecords.flat().flatMap(({ request }) => request ?? []);
  const loaded = requests.length === 0 ? [] : await load(requests);
  const results = loaded?.[Symbol.iterator]();
  if (results === undefined) return undefined;
  return placesOfRecords.map((places) =>
    places.map((place) => ({
      place,
      records: place.request === undefined ? [] : (results.next().value ?? []),
    })),
  );
};

/** The content of a place, if any: one shown record, or a list of them. */
export const fillPlace = <Shown>(
  { kind }: ReferencePlace,
  shown: readonly Shown[],
): Shown | readonly Shown[] | null | undefined => {
  if (kind === 'MANY') return shown;
  const [first] = shown;
  // a value that leads to nothing stays
  return first ?? (kind === 'KEPT' ? undefined : null);
};

/** The record with other values in its places, by pointer; undefined keeps the present value. */
export const replacePlaces = (
  { version, json }: Pick<ReferringRecord, 'version' | 'json'>,
  lists: ListPlaces,
  valueAt: (pointer: string) => JsonValue | undefined,
): JsonObject =>
  mapReferences(version.model, json, {
    lists,
    present: ({ pointer, value }) => {
      const replacement = valueAt(pointer);
      return replacement === undefined ? value : replacement;
    },
    open: ({ pointer }) => valueAt(pointer),
  });
