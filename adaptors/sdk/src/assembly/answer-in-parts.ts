import { type AnsweredRecord, type AssemblyAnswer, maxPayloadBytes, stringifyJson } from '@fds/adaptor-protocol';
import type { Assembled } from '../handlers.js';
import { shortened } from '../shortened.js';

// leaves room for the envelope and the other members of the answer
const maxRecordsBytes = maxPayloadBytes - 4_096;

/** Divides an answer into parts that fit on the wire. If a single record does not fit, the answer is an error. */
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

/** An answer with the reason why no records can be returned. */
export const failedAnswer = (requestUuid: string, code: string, message: string): AssemblyAnswer => ({
  requestUuid,
  part: 1,
  last: true,
  records: [],
  error: { code, message: shortened(message) },
});
