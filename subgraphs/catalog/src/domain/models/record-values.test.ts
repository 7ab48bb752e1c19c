import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@fds/json';
import { FaultList } from '@fds/errors';
import { layValues, readRecordValues } from './record-values.js';

const drUuid = '0192F0C8-0000-7000-8000-000000000000';

const faultsOf = (values: JsonValue): string[] => {
  const faults = new FaultList();
  readRecordValues(values, ['age', 'at.zip', 'list.x', 'o'], faults);
  return faults.causes.map(({ pointer, code }) => `${pointer} ${code}`);
};

describe('values of a patch', () => {
  it.each<[JsonValue, readonly string[]]>([
    [null, []],
    [[], []],
    [[{ drUuid, json: { AGE: 1, At: { ZIP: 'x' }, o: { anything: 1 } } }], []],
    [JSON.stringify([{ drKey: { id: 1 }, json: {} }]), []],
    [{}, ['/values INVALID_TYPE']],
    [
      [1, { drUuid }],
      ['/values/0 INVALID_TYPE', '/values/1 INVALID_TYPE'],
    ],
    [[{ json: {} }], ['/values/0 REQUIRED']],
    [[{ drUuid: 'x', json: {} }], ['/values/0 REQUIRED']],
    [[{ drUuid, drKey: {}, json: {} }], ['/values/0 CONTRADICTION']],
    [[{ drUuid, 'js/on': 1, json: {} }], ['/values/0/js~1on UNKNOWN_MEMBER']],
    [[{ drUuid, json: { name: 1, at: 1 } }], ['/values/0/json/name NOT_NEW', '/values/0/json/at NOT_NEW']],
    [[{ drUuid, json: { at: { zip: 1, city: 2 } } }], ['/values/0/json/at/city NOT_NEW']],
    // it is not known which item of a list the value belongs to
    [[{ drUuid, json: { list: [{ x: 1 }] } }], ['/values/0/json/list NOT_NEW']],
  ])('%j have the faults %j', (values, faults) => {
    expect(faultsOf(values)).toEqual(faults);
  });

  it('are merged into a record; names match ignoring case', () => {
    const record = { id: 1, at: { city: 'Bern', deep: { x: 1 } } };
    const values = { AGE: 9, AT: { zip: 3000, Deep: { y: 2 } } };
    expect(layValues(record, values)).toEqual({ id: 1, at: { city: 'Bern', deep: { x: 1, y: 2 }, zip: 3000 }, AGE: 9 });
  });
});
