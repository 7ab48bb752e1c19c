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
    const items = value as readonly (typeof value)[number][];
    if (items.length < minItems) faults.add(pointer, 'TOO_FEW_ITEMS', `the array has less than ${minItems} items`);
    if (items.length > maxItems) faults.add(pointer, 'TOO_MANY_ITEMS', `the array has more than ${maxItems} items`);
    return items.map((item, index) => {
      if (item === null) faults.add(`${pointer}/${index}`, 'INVALID_TYPE', 'an item is not null');
      return item === null ? item : acceptItem(item, `${pointer}/${index}`, faults);
    });
  };
