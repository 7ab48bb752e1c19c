import { isStorableText } from '@fds/json';
import type { FaultList } from './fault-list.js';

/** Descriptions of domains and versions are cut here (docs/reference/rest-conventions.md#limits). */
const maxDescription = 255;
/** Names, unless a resource says less (docs/reference/rest-conventions.md#limits). */
const maxName = 128;

/** A required name of `minLength` to 128 characters, not blank. */
export const readName = (value: string | null | undefined, minLength: number, faults: FaultList): string => {
  if (value === null || value === undefined) {
    faults.add('/name', 'REQUIRED', 'name is required');
    return '';
  }
  const length = Array.from(value).length;
  if (length < minLength || length > maxName || value.trim() === '') {
    faults.add('/name', 'OUT_OF_RANGE', `name must have ${minLength} to ${maxName} characters`);
  } else if (!isStorableText(value)) {
    faults.add('/name', 'INVALID_CHARACTER', 'name holds a character that cannot be stored');
  }
  return value;
};

/** An optional text, unchanged. */
export const readText = (pointer: string, value: string | null | undefined, faults: FaultList): string | null => {
  if (typeof value === 'string' && !isStorableText(value)) {
    faults.add(pointer, 'INVALID_CHARACTER', `${pointer.slice(1)} holds a character that cannot be stored`);
  }
  return value ?? null;
};

/** An optional description, cut to 255 characters. */
export const readCutDescription = (value: string | null | undefined, faults: FaultList): string | null => {
  const text = readText('/description', value, faults);
  return text === null ? null : Array.from(text).slice(0, maxDescription).join('');
};
