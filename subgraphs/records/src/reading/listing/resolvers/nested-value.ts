import type { JsonObject } from '@fds/json';
import type { RecordRow } from './record-row.js';

/** An object nested in a record that has references below it: these may look at the record's DR Key. */
export class NestedValue {
  readonly row: RecordRow;
  readonly value: JsonObject;

  constructor(row: RecordRow, value: JsonObject) {
    this.row = row;
    this.value = value;
  }
}
