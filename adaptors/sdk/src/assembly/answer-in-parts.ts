import { type AnsweredRecord, type AssemblyAnswer, maxPayloadBytes, stringifyJson } from '@fds/adaptor-protocol';
import type { Assembled } from '../handlers.js';
import { shortened } from '../shortened.js';

// room for the envelope and the answer's own members
const maxRecordsBytes = maxPayloadBytes - 4_096;

/**
 * Cuts an answer into parts that fit on the wire. A record that does not fit alone is an error of the answer.
 */
export const answerInParts = (requestUuid: string, assembled: Assembled): readonly AssemblyAnswer[] => {
  const parts: AnsweredRecord[][] = [[]];
  let bytes = 0;
  for (const record of assembled.records) {
    const size = Buffer.byteLength(stringifyJson(record)) + 1;
    if (size > maxRecordsBytes)
      return [failedAnswer(requestUuid, 'RECORD_TOO_LARGE', 'a record does not fit on the bus')];
    if (bytes + size > maxRecordsBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(record);
    bytes += size;
  }
  const { totalElements } = assembled;
  return parts.map((records, index) => ({
    requestUuid,
    part: index + 1,
    last: index === parts.length - 1,
    records,
    ...(totalElements === undefined ? {} : { totalElements }),
  }));
};

/** An answer that says why no records can be returned. */
export const failedAnswer = (requestUuid: string, code: string, message: string): AssemblyAnswer => ({
  requestUuid,
  part: 1,
  last: true,
  records: [],
  error: { code, message: shortened(message) },
});
