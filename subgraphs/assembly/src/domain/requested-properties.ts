import { AppError, type ErrorCause } from '@fds/errors';
import { nestedProperties, type ModelProperty } from '@fds/model-schema';

/** A requested property, complete or in part. */
export interface RequestedProperty {
  readonly property: ModelProperty;
  /** The requested parts of an object, or of each object of a list, in the order of the model. */
  readonly parts: readonly RequestedProperty[];
}

const known = new WeakMap<ModelProperty, RequestedProperty>();

/** A property with all of its parts. */
export const wholeProperty = (property: ModelProperty): RequestedProperty => {
  const before = known.get(property);
  if (before !== undefined) return before;
  const whole = { property, parts: nestedProperties(property).map(wholeProperty) };
  known.set(property, whole);
  return whole;
};

/** No path into a model has so many levels. */
const maxSegments = 100;

/** A requested dotted path, from the current level on. */
interface AskedPath {
  readonly index: number;
  readonly segments: readonly string[];
}

/** Follows paths through the properties of one level, and collects the paths without a property. */
const follow = (
  paths: readonly AskedPath[],
  properties: readonly ModelProperty[],
  lost: AskedPath[],
): readonly RequestedProperty[] => {
  const byName = new Map<string, AskedPath[]>(properties.map(({ name }) => [name.toLowerCase(), []]));
  for (const { index, segments } of paths) {
    const [first = '', ...rest] = segments;
    const path = { index, segments: rest };
    const followed = byName.get(first.toLowerCase());
    if (followed === undefined) lost.push(path);
    else followed.push(path);
  }
  return properties.flatMap((property) => {
    const own = byName.get(property.name.toLowerCase()) ?? [];
    if (own.length === 0) return [];
    const deeper = own.filter(({ segments }) => segments.length > 0);
    const parts = follow(deeper, nestedProperties(property), lost);
    return [deeper.length < own.length ? wholeProperty(property) : { property, parts }];
  });
};

/**
 * Reads `requestedProperties` (docs/reference/assembly.md#request): names of the model in any case, or dotted paths
 * into its objects and lists of objects. A path cannot lead into a reference.
 *
 * @param names undefined means all properties
 * @throws AppError VALIDATION_FAILED that points at each name that the model does not have
 */
export const readRequestedProperties = (
  names: readonly string[] | undefined,
  properties: readonly ModelProperty[],
): readonly RequestedProperty[] => {
  if (names === undefined) return properties.map(wholeProperty);
  const lost: AskedPath[] = [];
  const paths = names.map((name, index) => ({ index, segments: name.split('.', maxSegments) }));
  const requested = follow(paths, properties, lost);
  if (lost.length === 0) return requested;
  const errors = lost
    .map(({ index }) => index)
    .sort((one, other) => one - other)
    .map((index): ErrorCause => ({
      pointer: `/requestedProperties/${index}`,
      code: 'UNKNOWN_PROPERTY',
      detail: 'the model of the domain version has no such property',
    }));
  throw new AppError('VALIDATION_FAILED', 'the request asks for properties that the model does not have', { errors });
};
