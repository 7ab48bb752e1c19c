import type { Queryable } from '../queryable.js';

/** A table whose rows are in a backup. */
export interface BackedUpTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Tables that say which process does what at the moment, and are empty in a hub that does not run. Tables without a
 * write-ahead log are left out too: they hold uploads under way.
 */
export const tablesOfProcesses: readonly string[] = ['notification_socket', 'relay_lease', 'server_process'];

/** Holds the migrations, which have their own place in a backup. */
const historyTable = '_prisma_migrations';

const statement = `SELECT c.relname AS name,
    (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    ARRAY(SELECT DISTINCT t.relname::text FROM pg_constraint f JOIN pg_class t ON t.oid = f.confrelid
     WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS refers_to
  FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p'
    AND c.relname <> ALL ($1::text[])
  ORDER BY c.relname`;

interface Row {
  readonly name: string;
  readonly columns: string[];
  readonly refers_to: string[];
}

/** A table comes behind those that it refers to, so that its rows can be written in this order. */
const inOrder = (rows: readonly Row[]): Row[] => {
  const ordered: Row[] = [];
  const waiting = new Map(rows.map((row) => [row.name, row]));
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ refers_to: targets }) => !targets.some((each) => waiting.has(each)));
    if (ready.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...waiting.keys()].join(', ')}`);
    for (const row of ready) waiting.delete(row.name);
    ordered.push(...ready);
  }
  return ordered;
};

/** The tables of a backup, in an order in which their rows can be written. */
export const listBackedUpTables = async (session: Queryable): Promise<BackedUpTable[]> => {
  const { rows } = await session.query<Row>(statement, [[historyTable, ...tablesOfProcesses]]);
  return inOrder(rows).map(({ name, columns }) => ({ name, columns }));
};

/** A name of a table or column as SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The columns of a table as COPY and INSERT name them. */
export const columnList = ({ columns }: BackedUpTable): string => columns.map(quoted).join(', ');
