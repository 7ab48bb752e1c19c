import type { JsonObject } from '@fds/json';
import type { AssembledRecord, AssemblyResponse } from './assembly-response.js';

/** A record, as soon as its release condition is met. A later line of the same index replaces it. */
export interface RecordLine {
  readonly record: AssembledRecord;
  /** Place in the `assembledDataRecords` of the plain answer. */
  readonly index: number;
}

/** A change of a record that an earlier line gave: a merge patch (RFC 7396). */
export interface PatchLine {
  readonly patch: JsonObject;
  readonly uuid: string;
  readonly index: number;
}

/** The last line: the plain answer without its records. */
export type EndLine = Omit<AssemblyResponse, 'assembledDataRecords'>;

/**
 * One line of a progressive answer. A client that applies the lines in their order has the plain answer as it is when
 * every adaptor has answered, or at the time-out.
 */
export type AssemblyLine = RecordLine | PatchLine | EndLine;
