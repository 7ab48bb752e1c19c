import type { AssemblyLine } from './assembly-line.js';
import type { OutputType } from './assembly-request.js';
import type { AssembledRecord } from './assembly-response.js';

/** A record as a response shows it: with DATA_ONLY its `uuid` and `data` alone. */
export const outputRecord = (
  record: AssembledRecord,
  outputType: OutputType | undefined,
): AssembledRecord | Pick<AssembledRecord, 'uuid' | 'data'> =>
  outputType === 'DATA_ONLY' ? { uuid: record.uuid, data: record.data } : record;

/**
 * A line of a progressive answer as a response shows it.
 *
 * @returns undefined for a patch without a change of the data
 */
export const outputLine = (line: AssemblyLine, outputType: OutputType | undefined): object | undefined => {
  if (outputType !== 'DATA_ONLY') return line;
  if ('record' in line) return { ...line, record: outputRecord(line.record, outputType) };
  if (!('patch' in line)) return line;
  const { data } = line.patch;
  return data === undefined ? undefined : { ...line, patch: { data } };
};
