import { shownValue } from '../shown-value.js';
import { type JsonValue, pointerTo } from '@fds/json';
import type { FaultList } from '@fds/errors';
import { foldName } from '../names/property-name.js';

/** As many as a model has properties. */
const maxGroups = 1000;

/**
 * Reads `propertyGroups`: lists of top-level properties that assembly takes together
 * (docs/reference/model-schema.md#propertygroups).
 *
 * @param spellings folded name to the model's spelling
 */
export const readPropertyGroups = (
  posted: JsonValue | undefined,
  pointer: string,
  spellings: ReadonlyMap<string, string>,
  faults: FaultList,
): readonly (readonly string[])[] => {
  if (posted === undefined) return [];
  if (!Array.isArray(posted)) {
    faults.add(pointer, 'INVALID_TYPE', 'propertyGroups is a list of lists of property names');
    return [];
  }
  if (posted.length > maxGroups) {
    faults.add(pointer, 'OUT_OF_RANGE', `propertyGroups has at most ${maxGroups} elements`);
    return [];
  }
  const taken = new Set<string>();
  return (posted as readonly JsonValue[]).map((group, index) => {
    const groupPointer = pointerTo(pointer, index);
    if (!Array.isArray(group) || group.length === 0) {
      faults.add(groupPointer, 'INVALID_TYPE', 'a group is a list of at least one property name');
      return [];
    }
    return (group as readonly JsonValue[]).flatMap((name, position) => {
      if (faults.isFull) return [];
      const folded = typeof name === 'string' ? foldName(name) : '';
      const spelling = spellings.get(folded);
      if (spelling === undefined) {
        faults.add(
          pointerTo(groupPointer, position),
          'UNKNOWN_PROPERTY',
          `the group names ${shownValue(name)}, which is not a top-level property`,
        );
        return [];
      }
      if (taken.has(folded)) {
        faults.add(
          pointerTo(groupPointer, position),
          'DUPLICATE_PROPERTY',
          `${shownValue(name)} is named twice; a property is in one group, once`,
        );
      }
      taken.add(folded);
      return [spelling];
    });
  });
};
