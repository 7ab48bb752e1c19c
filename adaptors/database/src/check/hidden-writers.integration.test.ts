import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { disconnect, openDatabases } from '../source/open-databases.js';
import { tableOfTexts } from '../testing/play-table.js';
import { testOn, testSources, type TestSource } from '../testing/test-sources.js';
import { findHiddenWriters } from './hidden-writers.js';

const { open, missing } = testSources.MariaDB;

describe('open transactions of MariaDB', () => {
  const check = testOn(missing);
  let source: TestSource;
  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    await source.run(
      'CREATE TABLE t (id varchar(20) PRIMARY KEY, label varchar(20), changed datetime(6))',
      `CREATE USER reader@'%' IDENTIFIED BY 'reader'`,
      `GRANT SELECT ON crm.t TO reader@'%'`,
    );
  });
  afterAll(() => source?.dispose());

  const find = async (lagTimeMilliseconds: number): Promise<readonly string[]> => {
    const metadata = parseAdaptorMetadata({
      databases: {
        main: {
          type: 'JDBC',
          properties: { ...source.properties, 'dataSource.user': 'reader', 'dataSource.password': 'reader' },
        },
      },
      tables: [
        {
          ...tableOfTexts(['id', 'label']),
          domain: 'thing',
          version: 1,
          dataSource: { name: 'main', tableName: 't' },
          timestampSpec: { columnName: 'changed', type: 'TIMESTAMP', lagTimeMilliseconds },
        },
      ],
    });
    const opened = openDatabases(metadata);
    try {
      return await findHiddenWriters(metadata.tables, opened);
    } finally {
      await disconnect([...opened.values()].map(({ knex }) => knex));
    }
  };

  check('are hidden from a user without PROCESS: a warning, unless rows are read late', async () => {
    expect(await find(0)).toEqual([
      expect.stringMatching(/^\/tables\/0\/timestampSpec: .*more than 1000 ms after its time.*GRANT PROCESS/),
    ]);
    expect(await find(5_000)).toEqual([]);
    await source.run(`GRANT PROCESS ON *.* TO reader@'%'`);
    expect(await find(0)).toEqual([]);
  });
});
