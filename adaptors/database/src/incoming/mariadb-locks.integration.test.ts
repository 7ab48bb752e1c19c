import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Knex } from 'knex';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { disconnect, openDatabases } from '../source/open-databases.js';
import { createSourceTable, type SourceTable } from '../source/source-table.js';
import { testOn, testSources, type TestSource } from '../testing/test-sources.js';

const { open, missing } = testSources.MariaDB;

describe('the locks of an event in MariaDB', () => {
  let source: TestSource;
  beforeAll(async () => {
    if (missing === undefined) source = await open();
  });
  afterAll(() => source?.dispose());

  /** A table on connections of the adaptor. */
  const withTable = async (
    tableName: string,
    work: (table: SourceTable, connection: Knex) => Promise<void>,
  ): Promise<void> => {
    const metadata = parseAdaptorMetadata({
      databases: { main: { type: 'JDBC', properties: source.properties as Record<string, string> } },
      tables: [
        {
          domain: 'thing',
          version: 1,
          primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
          dataColumns: { id: { source: 'id', columnType: 'STRING' } },
          dataSource: { name: 'main', tableName },
        },
      ],
    });
    const [main] = openDatabases(metadata).values();
    const [table] = metadata.tables;
    if (main === undefined || table === undefined) throw new Error('no table');
    try {
      await work(createSourceTable(main.knex, table, 'mysql'), main.knex);
    } finally {
      await disconnect([main.knex]);
    }
  };

  testOn(missing)('let the application insert rows next to the one that the event looks for', async () => {
    await source.run(
      'CREATE TABLE t (id varchar(40) PRIMARY KEY)',
      `INSERT INTO t VALUES ('a'), ('z')`,
      'SET SESSION innodb_lock_wait_timeout = 1',
    );
    await withTable('t', async (table, connection) => {
      await table.transaction(async (rows) => {
        expect(await rows.find({ id: 'm' })).toEqual([]);
        // in the same gap between two keys
        await source.run(`INSERT INTO t VALUES ('n')`);
        expect((await rows.insert({ id: 'm' })).row?.keyText).toBe('["m"]');
      });
      expect(await connection('t').orderBy('id').pluck('id')).toEqual(['a', 'm', 'n', 'z']);
    });
  });

  testOn(missing)('are those of REPEATABLE READ where the server logs statements, which refuses others', async () => {
    await source.run('CREATE TABLE u (id varchar(40) PRIMARY KEY)', `SET GLOBAL binlog_format = 'STATEMENT'`);
    await withTable('u', async (table) => {
      await table.transaction(async (rows) => {
        expect((await rows.insert({ id: 'm' })).row?.keyText).toBe('["m"]');
      });
    });
  });
});
