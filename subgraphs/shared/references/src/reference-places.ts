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
  /** Its DR Key. Default: what the data says. */
  readonly drKey?: JsonObject;
  /** Properties that may be seen, where that is not all of them: what may not is not in the data. */
  readonly visible?: ReadonlySet<string>;
  /** Is the property of this dotted path shown? Default: every one. */
  readonly isShown?: (path: string) => boolean;
}

/** Where a record refers to others: by a value that it holds, or by the query of its model where it holds none. */
export interface ReferencePlace {
  readonly reference: Reference;
  /** Dotted path of the property. */
  readonly path: string;
  /** JSON pointer from the top of the record. */
  readonly pointer: string;
  /** What stands there: one record or null, as many as are found, or one record in the place of a value that else stays. */
  readonly kind: 'ONE' | 'MANY' | 'KEPT';
  /** Undefined: the place leads to nothing. */
  readonly request: LinkRequest | undefined;
}

/**
 * What becomes of a list of values. EACH: every value is a place of its own and stays where it leads to nothing, so that the
 * list stays as it was posted. WHOLE: the list is one place, in the order and within the limit of the model.
 */
export type ListPlaces = 'EACH' | 'WHOLE';

export interface PlaceOptions {
  readonly lists: ListPlaces;
  /** Records of one list at most. Default: what the model says. */
  readonly maxSize?: number;
}

const topOf = (path: string): string => path.split('.', 1)[0] ?? path;

/** What references of models ask for, each read once; undefined: the target or the expression is not valid any more. */
const createLinkReader = (catalog: LinkedVersions) => {
  const known = new Map<Reference, ReferenceLinks | undefined>();
  return (reference: Reference, read: (target: LinkedVersion) => ReferenceLinks): ReferenceLinks | undefined => {
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
};

/** Reads the places of records, what models ask for only once. */
export const createPlaceReader = (
  catalog: LinkedVersions,
  { lists, maxSize }: PlaceOptions,
): ((record: ReferringRecord) => readonly ReferencePlace[]) => {
  const byValue = createLinkReader(catalog);
  const byModel = createLinkReader(catalog);
  const listLimit = maxSize === undefined ? {} : { limit: maxSize };

  return ({ version, json, drKey: givenKey, visible, isShown = () => true }) => {
    const drKey = (): JsonObject => givenKey ?? version.model.drKeyOf(json);
    const places: ReferencePlace[] = [];
    const linksOf = (reference: Reference, list: boolean): ReferenceLinks | undefined =>
      byModel(reference, (target) => readReferenceLinks(reference, version, target, list ? listLimit : { limit: 1 }));

    /** A place that is kept as posted leads by its value alone, and is left out where its target is gone. */
    const addKept = ({ reference, path, pointer, value }: HeldReference): void => {
      const { domain, version: number } = reference;
      const links = byValue(reference, (target) =>
        readReferenceLinks({ domain, version: number, multivalued: false }, version, target, { limit: 1 }),
      );
      const request = links === undefined ? undefined : requestLinks(links, { value, drKey });
      if (request !== undefined) places.push({ reference, path, pointer, kind: 'KEPT', request });
    };

    const addWhole = ({ reference, path, pointer, list, value }: HeldReference): void => {
      const links = linksOf(reference, list);
      const request = links === undefined ? undefined : requestLinks(links, { value, drKey });
      places.push({ reference, path, pointer, kind: list ? 'MANY' : 'ONE', request });
    };

    const addOpen = ({ reference, path, pointer, list }: OpenReference): void => {
      if (reference.query === undefined || visible?.has(topOf(path)) === false || !isShown(path)) return;
      const links = linksOf(reference, list);
      if (links?.matching === undefined) return;
      const request = requestLinks(links, { value: undefined, drKey });
      places.push({ reference, path, pointer, kind: list ? 'MANY' : 'ONE', request });
    };

    mapReferences(version.model, json, {
      lists,
      held: (held) => {
        if (isShown(held.path)) (lists === 'EACH' ? addKept : addWhole)(held);
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
