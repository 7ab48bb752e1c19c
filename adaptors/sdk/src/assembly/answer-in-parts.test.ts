import { describe, expect, it } from '@jest/globals';
import { maxPayloadBytes, stringifyJson } from '@fds/adaptor-protocol';
import { answerInParts } from './answer-in-parts.js';

const requestUuid = '0199d0a0-0000-7000-8000-000000000001';
const record = (n: number, bytes: number) => ({ drKey: { n }, data: { text: 'x'.repeat(bytes) } });

describe('answerInParts', () => {
  it('answers an empty result with one empty part', () => {
    expect(answerInParts(requestUuid, { records: [] })).toEqual([{ requestUuid, part: 1, last: true, records: [] }]);
  });

  it('keeps order, numbers the parts, marks the last, and stays below the limit', () => {
    const records = Array.from({ length: 9 }, (_, n) => record(n, 100_000));
    const parts = answerInParts(requestUuid, { records, totalElements: 9 });
    expect(parts.flatMap((part) => part.records)).toEqual(records);
    expect(parts.map(({ part }) => part)).toEqual(parts.map((_, index) => index + 1));
    expect(parts.map(({ last }) => last)).toEqual(parts.map((_, index) => index === parts.length - 1));
    for (const part of parts) expect(Buffer.byteLength(stringifyJson(part))).toBeLessThan(maxPayloadBytes);
  });

  it('returns an error when a single record does not fit', () => {
    expect(answerInParts(requestUuid, { records: [record(1, maxPayloadBytes)] })).toMatchObject([
      { last: true, records: [], error: { code: 'RECORD_TOO_LARGE' } },
    ]);
  });
});
