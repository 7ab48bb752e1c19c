import type { ErrorCause } from '@fds/errors';
import type { JsonValue } from '@fds/json';

/** A row of a file as it was read. Rows are counted from 1; a header and blank lines are none. */
export type ImportedRow =
  | { readonly row: number; readonly value: JsonValue; readonly fault?: undefined }
  /** It cannot be read, those after it can. */
  | { readonly row: number; readonly fault: ErrorCause };

/** A fault of a row as a whole. */
export const rowFault = (row: number, code: string, detail: string): ImportedRow => ({
  row,
  fault: { pointer: '', code, detail },
});
