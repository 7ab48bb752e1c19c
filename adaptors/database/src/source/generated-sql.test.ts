import { describe, expect, it } from '@jest/globals';
import knex, { type Knex } from 'knex';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import type { Dialect } from './dialect.js';
import { wrapIdentifierOf } from './identifier.js';
import { createSourceTable, type SourceTable } from './source-table.js';

/** The recorded statements of a query builder without a server, with their parameters. */
interface Recorded {
  readonly table: SourceTable;
  readonly statements: string[];
}

/** Types that the catalogue of SQL Server names. */
const columnTypes = [
  { name: 'no', type: 'decimal' },
  { name: 'price', type: 'decimal' },
  { name: 'paid', type: 'money' },
  { name: 'rate', type: 'real' },
  { name: 'name', type: 'nvarchar' },
];

const drivers: Readonly<Record<'mssql' | 'oracle', string>> = { mssql: 'mssql', oracle: 'oracledb' };

/** A table that records its statements instead of sending them. Every answer except the types of columns is empty. */
const record = (dialect: 'mssql' | 'oracle', more: readonly string[] = []): Recorded => {
  const connection = knex({ client: drivers[dialect], wrapIdentifier: wrapIdentifierOf(dialect satisfies Dialect) });
  const statements: string[] = [];
  (connection.client as Knex.Client).runner = ((builder: Knex.QueryBuilder) => ({
    run: () => {
      const { sql, bindings } = builder.toSQL().toNative();
      statements.push(`${sql} <- ${JSON.stringify(bindings)}`);
      return Promise.resolve(builder.toSQL().sql.includes('INFORMATION_SCHEMA') ? columnTypes : []);
    },
  })) as never;
  connection.client.transaction = ((work: (on: Knex) => unknown) => work(connection)) as never;
  const metadata = parseAdaptorMetadata({
    databases: { main: { type: 'JDBC', properties: { jdbcUrl: 'jdbc:sqlite:/x' } } },
    tables: [
      {
        domain: 'thing',
        version: 1,
        primaryKeySpecs: [
          { type: 'DOMAIN', 'Area.of [1]': { columnType: 'STRING' } },
          { type: 'DOMAIN', no: { columnType: 'LONG' } },
        ],
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataColumns: {
          'Area.of [1]': { source: 'area', columnType: 'STRING' },
          no: { source: 'no', columnType: 'LONG' },
          ...Object.fromEntries(more.map((column) => [column, { source: column, columnType: 'STRING' }])),
        },
        dataSource: { name: 'main', schema: 'my.schema', tableName: 'Thing of all' },
      },
    ],
  });
  const [first] = metadata.tables;
  if (first === undefined) throw new Error('no table');
  return { table: createSourceTable(connection, first, dialect), statements };
};

const statementsOf = async (
  dialect: 'mssql' | 'oracle',
  ask: (table: SourceTable) => Promise<unknown>,
): Promise<string[]> => {
  const { table, statements } = record(dialect);
  await ask(table);
  return statements;
};

const moment = 1_767_225_600_123_456n;
const range = { from: moment, until: moment, after: { modified: '2026-01-01 00:00:00.5', key: ['a', '7'] }, limit: 10 };

const all = async (table: SourceTable): Promise<void> => {
  await table.scan(range);
  await table.existing([['a', '7']]);
  await table.page(20, 10, [{ column: 'no', order: 'desc' }]);
  await table.transaction(async (rows) => {
    // no server returns the row
    await rows.insert({ 'Area.of [1]': 'a', no: '7' }).catch(() => undefined);
    await rows.update(['a', '7'], { no: '8' }).catch(() => undefined);
    await rows.find({ no: '7' });
    await rows.delete(['a', '7']);
  });
};

describe('the generated statements for databases without a live test', () => {
  it('are correct for SQL Server', async () => {
    const [table, area] = ['[my.schema].[Thing of all]', '[Area.of [1]]]'];
    const [types, ...statements] = await statementsOf('mssql', all);
    expect(types).toContain('INFORMATION_SCHEMA.COLUMNS');
    expect(statements).toEqual([
      `select top (@p0) ${area}, [no], [changed] from ${table} where [changed] <= @p1 and [changed] >= @p2 and (([changed] > @p3) or ([changed] = @p4 and ${area} > @p5) or ([changed] = @p6 and ${area} = @p7 and [no] > @p8)) order by [changed] asc, ${area} asc, [no] asc <- [10,"2026-01-01T00:00:00.123456","2026-01-01 00:00:00.5","2026-01-01 00:00:00.5","2026-01-01 00:00:00.5","a","2026-01-01 00:00:00.5","a","7"]`,
      `select ${area}, [no] from ${table} where ((${area} = @p0 and [no] = @p1)) <- ["a","7"]`,
      `select ${area}, [no], [changed] from ${table} order by [no] desc, ${area} asc, [no] asc offset @p0 rows fetch next @p1 rows only <- [20,10]`,
      `select count(*) as [total] from ${table} <- []`,
      `select top(0) [t].${area},[t].[no] into #out from ${table} as t left join ${table} on 0=1;insert into ${table} (${area}, [changed], [no]) output inserted.${area}, inserted.[no] into #out values (@p0, SYSUTCDATETIME(), @p1); select ${area},[no] from #out; drop table #out; <- ["a","7"]`,
      `update ${table} set [no] = @p0, [changed] = SYSUTCDATETIME() where ${area} = @p1 and [no] = @p2;select @@rowcount <- ["8","a","7"]`,
      `select top (@p0) ${area}, [no], [changed] from ${table} where ${area} = @p1 and [no] = @p2 <- [1,"a","8"]`,
      `select top (@p0) ${area}, [no], [changed] from ${table} with (UPDLOCK) where [no] = @p1 <- [20,"7"]`,
      `delete from ${table} where ${area} = @p0 and [no] = @p1;select @@rowcount <- ["a","7"]`,
      `select top (@p0) ${area}, [no], [changed] from ${table} where ${area} = @p1 and [no] = @p2 <- [1,"a","7"]`,
    ]);
  });

  it('select numbers that the driver of SQL Server rounds as text, except in a key', async () => {
    const { table, statements } = record('mssql', ['price', 'paid', 'rate', 'name']);
    await table.findKeys([['a', '7']]);
    expect(statements[1]).toContain(
      'select [Area.of [1]]], [no], convert(varchar(50), [price]) as [price], ' +
        'convert(varchar(50), convert(decimal(19, 4), [paid])) as [paid], [rate] + 0e0 as [rate], [name], [changed] from',
    );
  });

  it('are correct for Oracle', async () => {
    const [table, area] = ['"my.schema"."Thing of all"', '"Area.of [1]"'];
    const statements = await statementsOf('oracle', all);
    expect(statements.map((statement) => statement.replace(/ <- .*columnName.*/, ''))).toEqual([
      `select * from (select ${area}, "no", "changed" from ${table} where "changed" <= :1 and "changed" >= :2 and (("changed" > :3) or ("changed" = :4 and ${area} > :5) or ("changed" = :6 and ${area} = :7 and "no" > :8)) order by "changed" asc, ${area} asc, "no" asc) where rownum <= :9 <- ["2026-01-01 00:00:00.123456","2026-01-01 00:00:00.5","2026-01-01 00:00:00.5","2026-01-01 00:00:00.5","a","2026-01-01 00:00:00.5","a","7",10]`,
      `select ${area}, "no" from ${table} where ((${area} = :1 and "no" = :2)) <- ["a","7"]`,
      `select * from (select row_.*, ROWNUM rownum_ from (select ${area}, "no", "changed" from ${table} order by "no" desc, ${area} asc, "no" asc) row_ where rownum <= :1) where rownum_ > :2 <- [30,20]`,
      `select count(*) "total" from ${table} <- []`,
      `insert into ${table} (${area}, "changed", "no") values (:1, SYS_EXTRACT_UTC(SYSTIMESTAMP), :2) returning ${area},"no" into :3,:4`,
      `update ${table} set "no" = :1, "changed" = SYS_EXTRACT_UTC(SYSTIMESTAMP) where ${area} = :2 and "no" = :3 <- ["8","a","7"]`,
      `select * from (select ${area}, "no", "changed" from ${table} where ${area} = :1 and "no" = :2) where rownum <= :3 <- ["a","8",1]`,
      `select ${area}, "no", "changed" from ${table} where "no" = :1 for update <- ["7"]`,
      `delete from ${table} where ${area} = :1 and "no" = :2 <- ["a","7"]`,
      `select * from (select ${area}, "no", "changed" from ${table} where ${area} = :1 and "no" = :2) where rownum <= :3 <- ["a","7",1]`,
    ]);
  });
});
