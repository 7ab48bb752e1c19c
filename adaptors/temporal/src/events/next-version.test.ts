import type { JsonObject } from '@fds/adaptor-sdk';
import { describe, expect, it } from '@jest/globals';
import { nextVersion } from './next-version.js';
import type { RecordChange, RecordVersion } from './record-version.js';

const change = (
  action: RecordChange['action'],
  json: JsonObject,
  createTime: number,
  sourceAdaptorUuid = 'crm',
): RecordChange => ({ drUuid: 'record', drKeyValues: [1], action, json, createTime, sourceAdaptorUuid });

const history = (...changes: RecordChange[]): RecordVersion[] => {
  const versions: RecordVersion[] = [];
  for (const one of changes) {
    const ofSource = versions.filter(({ sourceAdaptorUuid }) => sourceAdaptorUuid === one.sourceAdaptorUuid);
    versions.push(nextVersion(one, versions.at(-1), ofSource.at(-1)));
  }
  return versions;
};

describe('nextVersion', () => {
  it('keeps the values of absent properties and treats null as a value', () => {
    const versions = history(
      change('POST', { id: 1, name: 'Ada', phone: '1' }, 10),
      change('PUT', { phone: null }, 20),
      change('PUT', { name: 'Ada L.' }, 30),
    );
    expect(versions.map(({ state }) => state)).toEqual([
      { id: 1, name: 'Ada', phone: '1' },
      { id: 1, name: 'Ada', phone: null },
      { id: 1, name: 'Ada L.', phone: null },
    ]);
    expect(versions.map(({ number, at }) => [number, at])).toEqual([
      [1, 10],
      [2, 20],
      [3, 30],
    ]);
  });

  it('drops the properties of a deleted record when it is created again', () => {
    const versions = history(
      change('POST', { id: 1, name: 'Ada' }, 10),
      change('DELETE', {}, 20),
      change('POST', { id: 1 }, 30),
    );
    expect(versions.map(({ state }) => state)).toEqual([{ id: 1, name: 'Ada' }, null, { id: 1 }]);
  });

  it('takes the new properties of a message only, and those that it read only where they still have that value', () => {
    const repeated = { ...change('PUT', { id: 1, name: 'old', phone: '2' }, 20), changed: ['phone'] };
    const reconciled = { ...change('PUT', { name: 'x', phone: '3' }, 30), read: { name: 'former', phone: '2' } };
    const versions = history(change('POST', { id: 1, name: 'Ada', phone: '1' }, 10), repeated, reconciled);
    expect(versions.map(({ state }) => state).slice(1)).toEqual([
      { id: 1, name: 'Ada', phone: '2' },
      { id: 1, name: 'Ada', phone: '3' },
    ]);
  });

  it('keeps the record of each source separately', () => {
    const versions = history(
      change('POST', { id: 1, name: 'Ada' }, 10, 'crm'),
      change('PUT', { phone: '1' }, 20, 'erp'),
      change('PUT', { name: 'Ada L.' }, 30, 'crm'),
    );
    expect(versions.map(({ sourceState }) => sourceState)).toEqual([
      { id: 1, name: 'Ada' },
      { phone: '1' },
      { id: 1, name: 'Ada L.' },
    ]);
  });

  it('gives a change with an earlier time the time of the change before it', () => {
    expect(history(change('POST', { id: 1 }, 100), change('PUT', { name: 'Ada' }, 90)).map(({ at }) => at)).toEqual([
      100, 100,
    ]);
  });
});
