import { AppError } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import { mapReferences, type HeldReference, type OpenReference, type Reference } from '@fds/model-schema';
import type { LinkedVersion, LinkedVersions } from './linked-version.js';
import { readReferenceLinks, requestLinks, type LinkRequest, type ReferenceLinks } from './reference-links.js';

/** A record whose references are shown. */
export interface ReferringRecord {
  readonly uuid: string;
  readonly version: LinkedVersion;
  readonly json: JsonObject;
  /** Properties that may be seen, where that is not all of them: what may not is not in the data. */
  readonly visible?: ReadonlySet<string>;
}

/** Where a record refers to others: by a value that it holds, or by the query of its model where it holds none. */
export interface ReferencePlace {
  readonly reference: Reference;
  /** Dotted path of the property. */
  readonly path: string;
  /** JSON pointer from the top of the record. */
  readonly pointer: string;
  /** What stands there: one record in the place of a value, or as many as are found. */
  readonly kind: 'HELD' | 'FOUND_ONE' | 'FOUND_MANY';
  /** Undefined: the place leads to nothing. */
  readonly request: LinkRequest | undefined;
}

const topOf = (path: string): string => path.split('.', 1)[0] ?? path;

/**
 * Reads the places of records, what models ask for only once. A place whose target or whose expression is not valid any
 * more is left out.
 */
export const createPlaceReader = (
  catalog: LinkedVersions,
): ((record: ReferringRecord) => readonly ReferencePlace[]) => {
  const byValue = new Map<Reference, ReferenceLinks | undefined>();
  const byQuery = new Map<Reference, ReferenceLinks | undefined>();

  const remember = (
    known: Map<Reference, ReferenceLinks | undefined>,
    reference: Reference,
    read: (target: LinkedVersion) => ReferenceLinks,
  ): ReferenceLinks | undefined => {
    if (known.has(reference)) return known.get(reference);
    const target = catalog.version(reference.domain, reference.version);
    let links: ReferenceLinks | undefined;
    try {
      links = target === undefined ? undefined : read(target);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    known.set(reference, links);
    return links;
  };

  return ({ version, json, visible }) => {
    const drKey = (): JsonObject => version.model.drKeyOf(json);
    const places: ReferencePlace[] = [];

    const addHeld = ({ reference, path, pointer, value }: HeldReference): void => {
      // every value of a list is a place of its own: the data stays as it was posted
      const { domain, version: number } = reference;
      const links = remember(byValue, reference, (target) =>
        readReferenceLinks({ domain, version: number, multivalued: false }, version, target, { limit: 1 }),
      );
      const request = links === undefined ? undefined : requestLinks(links, { value, drKey });
      if (request !== undefined) places.push({ reference, path, pointer, kind: 'HELD', request });
    };

    const addOpen = ({ reference, path, pointer, list }: OpenReference): void => {
      if (reference.query === undefined || visible?.has(topOf(path)) === false) return;
      const links = remember(byQuery, reference, (target) =>
        readReferenceLinks(reference, version, target, list ? {} : { limit: 1 }),
      );
      if (links?.matching === undefined) return;
      const request = requestLinks(links, { value: undefined, drKey });
      places.push({ reference, path, pointer, kind: list ? 'FOUND_MANY' : 'FOUND_ONE', request });
    };

    mapReferences(version.model, json, {
      held: (held) => {
        addHeld(held);
        return held.value;
      },
      open: (open) => {
        addOpen(open);
        return undefined;
      },
    });
    return places;
  };
};
