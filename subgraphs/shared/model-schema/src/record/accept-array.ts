import type { JsonValue } from '@fds/json';
import type { Accept } from './accept.js';

/** Bounds of an array's length. */
export interface ArrayConstraints {
  readonly minItems: number;
  readonly maxItems: number;
}

/** Accepts arrays of values that `acceptItem` accepts; an item is never null. */
export const acceptArray =
  (acceptItem: Accept, { minItems, maxItems }: ArrayConstraints): Accept =>
  (value, pointer, faults) => {
    if (!Array.isArray(value)) {
      faults.add(pointer, 'INVALID_TYPE', 'the value is not an array');
      return value;
    }
    const items = value as readonly JsonValue[];
    if (items.length < minItems) faults.add(pointer, 'TOO_FEW_ITEMS', `the array has less than ${minItems} items`);
    if (items.length > maxItems) faults.add(pointer, 'TOO_MANY_ITEMS', `the array has more than ${maxItems} items`);
    const accepted: JsonValue[] = [];
    for (const [index, item] of items.entries()) {
      if (item === null) faults.add(`${pointer}/${index}`, 'INVALID_TYPE', 'an item is not null');
      accepted.push(item === null ? item : acceptItem(item, `${pointer}/${index}`, faults));
      if (faults.isFull) break;
    }
    return accepted;
  };
