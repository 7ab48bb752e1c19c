import { shownValue } from '../shown-value.js';
import type { FaultList } from '@fds/errors';
import { pointerTo } from '@fds/json';
import type { ModelProperty } from '../model-property.js';
import { foldName } from '../names/property-name.js';

const keyTypes: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);

/** As many as a model has properties. */
const maxKeyProperties = 1000;

/**
 * Holds the DR Key properties against the top-level properties and answers them in the model's spelling.
 *
 * @param unread folded names of posted properties whose own faults kept them from being read
 */
export const readDrKey = (
  drKeyProperties: readonly string[],
  properties: readonly ModelProperty[],
  unread: ReadonlySet<string>,
  faults: FaultList,
): readonly string[] => {
  const pointer = '/drKeyProperties';
  if (drKeyProperties.length > maxKeyProperties) {
    faults.add(pointer, 'OUT_OF_RANGE', `drKeyProperties has at most ${maxKeyProperties} elements`);
    return [];
  }
  if (drKeyProperties.length === 0) faults.add(pointer, 'REQUIRED', 'a version has at least one DR Key property');
  const byName = new Map(properties.map((property) => [foldName(property.name), property]));
  const seen = new Set<string>();
  return drKeyProperties.map((name, index) => {
    const folded = foldName(name);
    const property = byName.get(folded);
    const own = pointerTo(pointer, index);
    if (seen.has(folded)) {
      faults.add(own, 'DUPLICATE_PROPERTY', `${shownValue(name)} is named twice`);
    } else if (property === undefined) {
      if (!unread.has(folded))
        faults.add(
          own,
          'UNKNOWN_PROPERTY',
          `drKeyProperties names ${shownValue(name)}, which is not a top-level property`,
        );
    } else if (!keyTypes.has(property.type)) {
      faults.add(
        own,
        'INVALID_TYPE',
        `${shownValue(name)} is of type ${property.type}; a DR Key property is one of ${[...keyTypes].join(', ')}`,
      );
    }
    seen.add(folded);
    return property?.name ?? name;
  });
};
