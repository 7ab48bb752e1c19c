import type { FaultList } from '@fds/errors';
import { pointerTo } from '@fds/json';
import type { SearchableProperty } from '../compiled-model.js';
import type { ModelProperty } from '../model-property.js';
import { foldName } from '../names/property-name.js';
import { shownValue } from '../shown-value.js';

/** Each may have indexes, and each index costs every write of a record. */
const maxSearchProperties = 32;

/** The property at a dotted path, or the reason why it cannot be searched. */
const findAt = (
  properties: readonly ModelProperty[],
  path: readonly string[],
): SearchableProperty | { readonly code: string; readonly detail: string } => {
  let level = properties;
  const spelled: string[] = [];
  for (const [index, segment] of path.entries()) {
    const property = level.find(({ name }) => foldName(name) === foldName(segment));
    if (property === undefined) return { code: 'UNKNOWN_PROPERTY', detail: 'which is not a property of the model' };
    spelled.push(property.name);
    if (property.type === 'object') {
      level = property.properties;
    } else if (property.type === 'array' || property.type === 'reference') {
      const kind = property.type === 'array' ? 'a list' : 'a cross-reference';
      return {
        code: 'INVALID_TYPE',
        detail: `where ${property.path} is ${kind}: neither it nor what is in it is searched`,
      };
    } else if (index === path.length - 1) {
      const { type, format } = property;
      return { name: spelled.join('.'), dataPath: spelled, type, ...(format === undefined ? {} : { format }) };
    } else {
      return { code: 'UNKNOWN_PROPERTY', detail: `where ${property.path} has no properties` };
    }
  }
  return { code: 'INVALID_TYPE', detail: 'which is an object: name a property in it' };
};

/**
 * Reads the dotted paths of properties that listings search and sort by in addition to the DR Key. Names match ignoring case.
 *
 * @param faults receives unknown properties, those of another type, and repetitions
 */
export const readSearchProperties = (
  names: readonly string[],
  properties: readonly ModelProperty[],
  faults: FaultList,
): readonly SearchableProperty[] => {
  const pointer = '/searchProperties';
  if (names.length > maxSearchProperties) {
    faults.add(pointer, 'OUT_OF_RANGE', `searchProperties has at most ${maxSearchProperties} elements`);
    return [];
  }
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const own = pointerTo(pointer, index);
    const found = findAt(properties, name.split('.'));
    if ('code' in found) faults.add(own, found.code, `searchProperties names ${shownValue(name)}, ${found.detail}`);
    else if (seen.has(found.name)) faults.add(own, 'DUPLICATE_PROPERTY', `${shownValue(name)} is named twice`);
    else {
      seen.add(found.name);
      return [found];
    }
    return [];
  });
};
