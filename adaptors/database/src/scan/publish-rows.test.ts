import { afterAll, expect, it } from '@jest/globals';
import { stringifyJson, type JsonObject } from '@fds/adaptor-protocol';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseOfRow, digestOf, knownRowOf, withNote } from '../source/row-base.js';
import type { SourceTable } from '../source/source-table.js';
import { openFileStore } from '../state/open-file-store.js';
import { createWrittenRows } from '../state/written-rows.js';
import { publishRows } from './publish-rows.js';

const folder = mkdtempSync(join(tmpdir(), 'fds-publish-'));
const store = openFileStore(join(folder, 'state.sqlite'));
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const keyText = '["a"]';
const rowOf = (record: JsonObject) => {
  const recordText = stringifyJson(record);
  return {
    key: ['a'],
    keyText,
    record,
    recordText,
    digest: digestOf(recordText),
    modified: null,
    columns: {},
    isOutside: false,
  };
};

it('keeps a note that an event has made since the row was read, also when the scan ends before the commit', async () => {
  const state = store.table('contact', 1);
  const written = createWrittenRows();
  const properties = ['id', 'name', 'price'];
  const values = { id: 'a', name: 'n0', price: 1 };
  const drUuid = '0199d0a0-0000-7000-8000-000000000001';
  await state.rememberRows([knownRowOf({ keyText, drUuid }, { sent: values, stored: values }, properties)]);
  const metadata = { domain: 'contact', version: 1, dataSource: { tableName: 'contact' } };
  const mark = written.mark();
  let end = (): void => undefined;
  await publishRows(
    {
      // a row that was not touched before the report is not read again
      table: { metadata } as SourceTable,
      state,
      written,
      adaptor: {
        applied: { epoch: null, sequence: 0 },
        reportError: () => Promise.resolve(),
        publish: async () => {
          // an event begins while the user's edit is on its way
          end = written.begin([keyText]);
          const [known] = (await state.knownRows([keyText])).values();
          if (known === undefined) throw new Error('the row is not known');
          await state.rememberRows([withNote(known, { sent: { price: 10.125 }, stored: { price: 10.13 } })]);
        },
      },
      drKeyProperties: ['id'],
      guard: { check: () => Promise.resolve() },
      signal: new AbortController().signal,
    },
    { rows: [rowOf({ ...values, name: 'n1' })], faulty: [], mark, appliedBefore: { epoch: null, sequence: 0 } },
  );
  // the process ends after the commit, and before the state has the effect
  end();
  const known = (await state.knownRows([keyText])).get(keyText);
  expect(baseOfRow(known, { id: 'a', name: 'n1', price: 10.13 })).toEqual({
    sent: { id: 'a', name: 'n1', price: 10.125 },
    stored: { id: 'a', name: 'n1', price: 10.13 },
  });
  // without the commit, the row holds its former value
  expect(baseOfRow(known, { id: 'a', name: 'n1', price: 1 }).sent).toEqual({ id: 'a', name: 'n1', price: 1 });
});
