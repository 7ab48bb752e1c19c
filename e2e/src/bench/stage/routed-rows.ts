import type pg from 'pg';

/** Rows of one table as text, one list per column. */
export interface TableRows {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** In the order of their events. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** Number of rows per event. */
  readonly perEvent: number;
}

/** A range of events: numbers in the queue of a destination, both inclusive. */
export interface EventRange {
  readonly destinationUuid: string;
  readonly from: number;
  readonly to: number;
}

interface RoutedTable {
  readonly table: string;
  readonly perEvent: number;
  /** Joins the table `t` to the event `e`. */
  readonly condition: string;
  readonly omitted?: string;
}

/** Tables that routing an event of a new record to three destinations writes, parents first. */
const routedTables: readonly RoutedTable[] = [
  { table: 'data_record', perEvent: 1, condition: 't.uuid = e.record_uuid' },
  { table: 'record_link', perEvent: 1, condition: 't.record_uuid = e.record_uuid' },
  { table: 'data_event', perEvent: 1, condition: 't.uuid = e.event_uuid' },
  { table: 'delivery', perEvent: 3, condition: 't.event_uuid = e.event_uuid' },
  // the database numbers them
  {
    table: 'change_log',
    perEvent: 1,
    condition: "t.resource_type = 'Dr' AND t.resource_uuid = e.record_uuid",
    omitted: 'position',
  },
];

const columnsOf = async (client: pg.Client, { table, omitted = '' }: RoutedTable): Promise<TableRows['columns']> => {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname <> $2 ORDER BY attnum`,
    [table, omitted],
  );
  return rows;
};

/**
 * Reads every row that the events wrote.
 *
 * @throws Error unless the number of rows is exactly the one for routing to three destinations
 */
export const readRoutedRows = async (client: pg.Client, range: EventRange): Promise<TableRows[]> => {
  const events = range.to - range.from + 1;
  const read: TableRows[] = [];
  for (const routed of routedTables) {
    const { table, perEvent, condition } = routed;
    const columns = await columnsOf(client, routed);
    const { rows } = await client.query<(string | null)[]>({
      text: `SELECT ${columns.map(({ name }) => `t."${name}"::text`).join(', ')}
             FROM delivery e JOIN "${table}" t ON ${condition}
             WHERE e.adaptor_uuid = $1 AND e.sequence BETWEEN $2 AND $3 ORDER BY e.sequence`,
      values: [range.destinationUuid, range.from, range.to],
      rowMode: 'array',
    });
    if (rows.length !== events * perEvent)
      throw new Error(`${events} events must write ${events * perEvent} rows of ${table}, there are ${rows.length}`);
    read.push({ table, columns, rows, perEvent });
  }
  return read;
};
