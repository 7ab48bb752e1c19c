import { AppError } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import { mapReferences, type PresentReference, type OpenReference, type Reference } from '@fds/model-schema';
import type { LinkedVersion, LinkedVersions } from './linked-version.js';
import { readReferenceLinks, requestLinks, type LinkRequest, type ReferenceLinks } from './reference-links.js';

/** A record whose references are shown. */
export interface ReferringRecord {
  readonly uuid: string;
  readonly version: LinkedVersion;
  readonly json: JsonObject;
  /** Its DR Key. Default: the data decides. */
  readonly drKey?: JsonObject;
  /** Properties that may be seen, when some may not: the others are not in the data. */
  readonly visible?: ReadonlySet<string>;
  /** Is the property of this dotted path shown? Default: every one. */
  readonly isShown?: (path: string) => boolean;
}

/** The places in which a record refers to others: by a value, or without one by the query of its model. */
export interface ReferencePlace {
  readonly reference: Reference;
  /** Dotted path of the property. */
  readonly path: string;
  /** JSON pointer from the top of the record. */
  readonly pointer: string;
  /** The content of the place: one record or null, all that are found, or one record instead of a value that otherwise stays. */
  readonly kind: 'ONE' | 'MANY' | 'KEPT';
  /** Undefined: the place leads to nothing. */
  readonly request: LinkRequest | undefined;
}

/**
 * The handling of a list of values. EACH: every value is a separate place and stays when it leads to nothing, so that the
 * list keeps its posted form. WHOLE: the list is one place, in the order and within the limit of the model.
 */
export type ListPlaces = 'EACH' | 'WHOLE';

export interface PlaceOptions {
  readonly lists: ListPlaces;
  /** Records of one list at most. Default: the model decides. */
  readonly maxSize?: number;
}

const topOf = (path: string): string => path.split('.', 1)[0] ?? path;

/** The parameters of the references of models, each read once; undefined: the target or the expression is not valid now. */
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

/** Reads the places of records; the parameters of models are read only once. */
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
    const addKept = ({ reference, path, pointer, value }: PresentReference): void => {
      const { domain, version: number } = reference;
      const links = byValue(reference, (target) =>
        readReferenceLinks({ domain, version: number, multivalued: false }, version, target, { limit: 1 }),
      );
      const request = links === undefined ? undefined : requestLinks(links, { value, drKey });
      if (request !== undefined) places.push({ reference, path, pointer, kind: 'KEPT', request });
    };

    const addWhole = ({ reference, path, pointer, list, value }: PresentReference): void => {
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
      present: (present) => {
        if (isShown(present.path)) (lists === 'EACH' ? addKept : addWhole)(present);
        return present.value;
      },
      open: (open) => {
        addOpen(open);
        return undefined;
      },
    });
    return places;
  };
};
