import pg from 'pg';

/** A row of the change log. */
interface LoggedEntry {
  readonly action: string;
  readonly type: string;
  readonly resource: string;
  readonly actorUuid: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Detects which transactions of a service wrote which tables, by triggers in its database. */
export interface WriteWatch {
  /** Entries of the change log since the last call, in order. */
  takeEntries(): Promise<readonly LoggedEntry[]>;
  /** Tables that a transaction wrote without an entry in the change log, since the watch was opened. */
  tablesWrittenUnlogged(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Records the rows that a transaction inserted, changed or deleted. */
const install = `
  CREATE TABLE watched_write (transaction xid8 NOT NULL, table_name text NOT NULL, PRIMARY KEY (transaction, table_name));
  CREATE FUNCTION watch_write() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO watched_write VALUES (pg_current_xact_id(), TG_TABLE_NAME) ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'watched_write' LOOP
      EXECUTE format('CREATE TRIGGER watch_write AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION watch_write()', name);
    END LOOP;
  END $$;`;

/**
 * Opens the watch on the database of a running service.
 *
 * @param databaseUrl of a role that may create triggers
 */
export const openWriteWatch = async (databaseUrl: string): Promise<WriteWatch> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(install);
  let position = 0n;
  const takeEntries = async (): Promise<readonly LoggedEntry[]> => {
    const { rows } = await client.query<LoggedEntry & { readonly at: string; readonly text: string | null }>(
      `SELECT position::text AS at, action, resource_type AS type, resource, actor_uuid AS "actorUuid", data AS text
       FROM change_log WHERE position > $1 ORDER BY change_log.position`,
      [String(position)],
    );
    position = BigInt(rows.at(-1)?.at ?? position);
    return rows.map(({ at: _at, text, ...entry }) => ({
      ...entry,
      data: JSON.parse(text ?? '{}') as LoggedEntry['data'],
    }));
  };
  await takeEntries();
  return {
    takeEntries,
    tablesWrittenUnlogged: async () => {
      const { rows } = await client.query<{ readonly table_name: string }>(
        `SELECT DISTINCT table_name FROM watched_write AS written
         WHERE NOT EXISTS (SELECT FROM watched_write WHERE transaction = written.transaction AND table_name = 'change_log')
         ORDER BY table_name`,
      );
      return rows.map(({ table_name: name }) => name);
    },
    close: () => client.end(),
  };
};
