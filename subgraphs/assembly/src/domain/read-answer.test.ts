import { describe, expect, it } from '@jest/globals';
import type { AnsweredRecord } from '@fds/adaptor-protocol';
import { compileModelSchema } from '@fds/model-schema';
import { readAnswer, readTimestampAnswer } from './read-answer.js';

const { model } = compileModelSchema({
  modelSchema: { properties: { id: { type: 'integer' }, name: { type: 'string' } } },
  drKeyProperties: ['id'],
});
if (model === undefined) throw new Error('the model does not compile');
const compiled = model;

const [r, s, other] = ['a', 'b', 'c'].map((digit) => `0199d0a0-0000-7000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
];
const asked = [
  { drUuid: r, drKey: { id: 1 } },
  { drUuid: s, drKey: { id: 2 } },
];

const read = (...records: AnsweredRecord[]) =>
  Object.fromEntries([...readAnswer({ records }, asked, compiled)].map(([uuid, { data }]) => [uuid, data]));

describe('readAnswer', () => {
  it('finds records by uuid in any case, or by the key of the adaptor', () => {
    expect(read({ drUuid: r.toUpperCase(), drKey: {}, data: { n: 1 } }, { drKey: { ID: 2n }, data: { n: 2 } })).toEqual(
      { [r]: { n: 1 }, [s]: { n: 2 } },
    );
  });

  it('drops records that were not requested', () => {
    expect(
      read(
        { drUuid: other, drKey: { id: 1 }, data: {} },
        { drKey: { id: 3 }, data: {} },
        { drKey: {}, data: {} },
        { drKey: { id: 'x' }, data: {} },
      ),
    ).toEqual({});
  });

  it('uses the first one of a repeated record', () => {
    expect(read({ drUuid: r, drKey: {}, data: null }, { drKey: { id: 1 }, data: { n: 1 } })).toEqual({ [r]: null });
  });
});

describe('readTimestampAnswer', () => {
  const search = (records: AnsweredRecord[], timestamps?: number[]) =>
    readTimestampAnswer({ records, timestamps }, { drUuid: r, drKey: { id: 1 } }, compiled).get(r);

  it.each<[string, AnsweredRecord[], number[] | undefined, unknown]>([
    ['next to an empty list of records', [], [2, 1], { data: {}, timestamps: [2, 1] }],
    [
      'with the record',
      [{ drUuid: r, drKey: {}, data: null, timestamps: [3] }],
      undefined,
      { data: {}, timestamps: [3] },
    ],
    ['next to a record with data', [{ drUuid: r, drKey: {}, data: { name: 'x' } }], [], { data: {}, timestamps: [] }],
    ['nowhere, and the record is gone', [{ drUuid: r, drKey: {}, data: null }], undefined, { data: null }],
    ['nowhere, but data is sent', [{ drUuid: r, drKey: {}, data: { name: 'x' } }], undefined, undefined],
    ['with another record', [{ drUuid: other, drKey: {}, data: null, timestamps: [3] }], undefined, undefined],
  ])('finds timestamps %s', (_, records, timestamps, expected) => {
    if (expected === undefined) expect(search(records, timestamps)).toBeUndefined();
    else expect(search(records, timestamps)).toMatchObject(expected as object);
  });
});
