import { Reading } from '../causes/reading.js';
import { refusalByCauses } from '../causes/refusal.js';
import type { RawQuery } from './compile-query-reader.js';

/** Refuses parameters for an endpoint that has none. @throws AppError INVALID_PARAMETER */
export const requireNoQuery = (query: RawQuery): void => {
  const names = Object.keys(query);
  if (names.length === 0) return;
  const reading = new Reading();
  for (const name of names) {
    reading.add({ pointer: name, code: 'UNKNOWN_PARAMETER', detail: `"${name}" is unknown; allowed: none` });
  }
  throw refusalByCauses(reading.causes);
};
