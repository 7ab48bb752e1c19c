import Database from 'libsql';

/** A small source system of the demo: a SQLite file with customers, keyed by its own numbers. */
export interface CustomerSystem {
  readonly name: string;
  readonly table: string;
  /** Primary key, numbered by the system itself. */
  readonly key: string;
  /** Column of each property of the domain `customer` that the system knows. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** The systems overlap: Grace and Edsger are in both. Each system also has properties that the other does not have. */
export const crm: CustomerSystem = {
  name: 'CRM',
  table: 'contact',
  key: 'contact_id',
  columns: { email: 'email', name: 'full_name', phone: 'phone' },
  rows: [
    { email: 'ada@example.org', full_name: 'Ada Lovelace', phone: '+44 20 5550 101' },
    { email: 'grace@example.org', full_name: 'Grace Hopper', phone: '+1 202 5550 102' },
    { email: 'edsger@example.org', full_name: 'Edsger Dijkstra', phone: '+31 20 5550 103' },
    // no address: becomes a data issue
    { email: 'at the front desk', full_name: 'Walk-in', phone: '' },
  ],
};

export const billing: CustomerSystem = {
  name: 'Billing',
  table: 'client',
  key: 'client_no',
  columns: { email: 'mail', name: 'client_name', city: 'city' },
  rows: [
    { mail: 'grace@example.org', client_name: 'Grace Hopper', city: 'Arlington' },
    { mail: 'edsger@example.org', client_name: 'Edsger Dijkstra', city: 'Nuenen' },
    { mail: 'barbara@example.org', client_name: 'Barbara Liskov', city: 'Boston' },
  ],
};

/** Creates the system's database. Triggers maintain the modification column, as in a real system. */
export const createCustomerSystem = (file: string, { table, key, columns, rows }: CustomerSystem): void => {
  const database = new Database(file);
  const names = Object.values(columns);
  const now = `strftime('%Y-%m-%d %H:%M:%f000', 'now')`;
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE ${table} (${key} INTEGER PRIMARY KEY AUTOINCREMENT, ${names.map((name) => `${name} TEXT`).join(', ')}, modified_at TEXT NOT NULL DEFAULT (${now}));
    CREATE TRIGGER ${table}_modified AFTER UPDATE OF ${names.join(', ')} ON ${table}
      BEGIN UPDATE ${table} SET modified_at = ${now} WHERE ${key} = NEW.${key}; END;`);
  const insert = database.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  for (const row of rows) insert.run(...names.map((name) => row[name] ?? null));
  database.close();
};

/** Metadata of the database adaptor of a system (docs/adaptors/adaptor-programs.md#database-adaptor). */
export const adaptorMetadata = (
  file: string,
  { table, key, columns }: CustomerSystem,
): Readonly<Record<string, unknown>> => ({
  databases: { source: { type: 'JDBC', properties: { jdbcUrl: `jdbc:sqlite:${file}`, maximumPoolSize: '1' } } },
  tables: [
    {
      domain: 'customer',
      version: 1,
      primaryKeySpecs: [{ type: 'LOCAL_AUTO', [key]: { columnType: 'LONG', required: true } }],
      timestampSpec: {
        columnName: 'modified_at',
        type: 'TIMESTAMP',
        precision: 'MICROSECONDS',
        scanStartTime: '2000-01-01T00:00:00Z',
        lagTimeMilliseconds: 0,
        overlapMilliseconds: 1000,
      },
      dataColumns: Object.fromEntries(
        Object.entries(columns).map(([property, name]) => [
          name,
          { source: property, columnType: 'STRING', updatable: property !== 'email', insertable: true },
        ]),
      ),
      dataSource: { name: 'source', tableName: table },
      scanMethod: 'TIMESTAMP',
      scanOptions: {
        scanIntervalMilliseconds: 500,
        processorConcurrency: 1,
        maxBatchSize: 100,
        enableIncoming: true,
        enableModificationScan: true,
        enableDeletionScan: true,
        enableProcessor: true,
      },
    },
  ],
});
