import pg from 'pg';
import type { Leftovers } from '../../harness/leftovers.js';
import type { TableRows } from './routed-rows.js';

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Statements of one transaction. */
type Batch = readonly Statement[];

/** Writes rows in the fastest way of plain SQL: prepared statements, one per table and batch, on one connection. */
export interface PlainSqlWriter {
  /** Divides the rows into transactions of this number of events. */
  prepare(tables: readonly TableRows[], eventsPerBatch: number): Batch[];
  write(batches: readonly Batch[]): Promise<void>;
}

const insertOf = ({ table, columns }: TableRows): string => {
  const names = columns.map(({ name }) => `"${name}"`);
  const typed = columns.map(({ name, type }) => `n."${name}"::${type}`);
  const arrays = columns.map((_, index) => `$${index + 1}::text[]`);
  return `INSERT INTO "${table}" (${names.join(', ')}) SELECT ${typed.join(', ')}
          FROM unnest(${arrays.join(', ')}) AS n(${names.join(', ')})`;
};

/** The row locks of routing: updates the position of each adaptor. */
const advance = (adaptorUuids: readonly string[], upto: number): Statement => ({
  name: 'advance',
  text: 'UPDATE adaptor_channel SET down_sequence = $2, up_applied = $2 WHERE adaptor_uuid = ANY ($1::uuid[])',
  values: [adaptorUuids, upto],
});

/** Opens it on a database with the service's tables. */
export const openPlainSqlWriter = async (
  leftovers: Leftovers,
  databaseUrl: string,
  adaptorUuids: readonly string[],
): Promise<PlainSqlWriter> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  leftovers.add(() => client.end());
  await client.query(
    'INSERT INTO adaptor_channel (adaptor_uuid, down_epoch) SELECT u, gen_random_uuid() FROM unnest($1::uuid[]) AS u',
    [adaptorUuids],
  );
  let written = 0;
  return {
    prepare: (tables, eventsPerBatch) => {
      const batches: Batch[] = [];
      const events = (tables[0]?.rows.length ?? 0) / (tables[0]?.perEvent ?? 1);
      for (let from = 0; from < events; from += eventsPerBatch) {
        const to = Math.min(from + eventsPerBatch, events);
        const inserts = tables.map((rowsOfTable) => {
          const rows = rowsOfTable.rows.slice(from * rowsOfTable.perEvent, to * rowsOfTable.perEvent);
          const values = rowsOfTable.columns.map((_, column) => rows.map((row) => row[column]));
          return { name: rowsOfTable.table, text: insertOf(rowsOfTable), values };
        });
        written += to - from;
        batches.push([...inserts, advance(adaptorUuids, written)]);
      }
      return batches;
    },
    write: async (batches) => {
      for (const batch of batches) {
        await client.query('BEGIN');
        for (const { name, text, values } of batch) await client.query({ name, text, values: [...values] });
        await client.query('COMMIT');
      }
    },
  };
};
