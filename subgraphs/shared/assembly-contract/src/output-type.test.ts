import { describe, expect, it } from '@jest/globals';
import type { AssembledRecord } from './assembly-response.js';
import { outputLine, outputRecord } from './output-type.js';

const record: AssembledRecord = {
  uuid: 'r',
  data: { a: 1 },
  status: 'PREFERRED_COMPLETE',
  drKey: { id: 1 },
  adaptors: [],
};

describe('the output type', () => {
  it('DATA_ONLY leaves the uuid and the data of a record', () => {
    expect(outputRecord(record, 'DATA_ONLY')).toEqual({ uuid: 'r', data: { a: 1 } });
    expect(outputLine({ record, index: 3 }, 'DATA_ONLY')).toEqual({ record: { uuid: 'r', data: { a: 1 } }, index: 3 });
  });

  it('DATA_ONLY leaves the changes of the data', () => {
    const patch = { patch: { status: 'FALLBACK', data: { a: 2 } }, uuid: 'r', index: 3 };
    expect(outputLine(patch, 'DATA_ONLY')).toEqual({ patch: { data: { a: 2 } }, uuid: 'r', index: 3 });
    expect(outputLine({ ...patch, patch: { status: 'FALLBACK' } }, 'DATA_ONLY')).toBeUndefined();
  });

  it.each([undefined, 'FULL'] as const)('%s leaves everything', (outputType) => {
    expect(outputRecord(record, outputType)).toBe(record);
    const line = { patch: { status: 'FALLBACK' }, uuid: 'r', index: 3 };
    expect(outputLine(line, outputType)).toBe(line);
  });
});
