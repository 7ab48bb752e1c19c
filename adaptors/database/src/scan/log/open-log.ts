import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { TableMetadata } from '../../configuration/table-metadata.js';
import { LogUnavailable } from './log-unavailable.js';

const logPrefixOf = (adaptorUuid: string): string => `fds_${adaptorUuid.replaceAll('-', '')}_`;

/** Name of the slot and of the publication of a table. It is the same after every start. */
export const logNameOf = (adaptorUuid: string, { domain, version, dataSource }: TableMetadata): string => {
  const table = JSON.stringify([domain, version, dataSource.schema ?? null, dataSource.tableName]);
  return `${logPrefixOf(adaptorUuid)}${createHash('sha256').update(table).digest('hex').slice(0, 8)}`;
};

/** Types of key columns whose values have the same spelling in the log and in a query. */
const plainCategories = new Set(['N', 'S', 'U', 'B', 'E']);
const otherTypes = new Set(['float4', 'float8', 'bytea', 'json', 'jsonb']);

interface KeyColumn {
  readonly name: string;
  readonly category: string;
  readonly type: string;
  readonly inIdentity: boolean;
}

const rowsOf = async <T>(connection: Knex, sql: string, parameters: readonly string[] = []): Promise<readonly T[]> => {
  const answer: { rows: T[] } = await connection.raw(sql, parameters as string[]);
  return answer.rows;
};

/** The qualified name of the table in PostgreSQL. */
const qualifiedName = async (connection: Knex, { dataSource }: TableMetadata): Promise<string | undefined> => {
  const { schema, tableName } = dataSource;
  const [row] = await rowsOf<{ name: string }>(
    connection,
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relname = ? AND c.relkind = 'r' AND n.nspname = coalesce(nullif(?, ''), n.nspname)
     AND (? <> '' OR pg_table_is_visible(c.oid))`,
    [tableName, schema ?? '', schema ?? ''],
  );
  return row?.name;
};

/** Key columns, and the columns that the log contains for a changed or deleted row. */
const identityOf = (connection: Knex, table: string): Promise<readonly KeyColumn[]> =>
  rowsOf(
    connection,
    `SELECT a.attname AS name, t.typcategory AS category, t.typname AS type,
       (c.relreplident = 'f' OR a.attnum = ANY (i.indkey)) AS "inIdentity"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     JOIN pg_type t ON t.oid = a.atttypid
     LEFT JOIN pg_index i ON i.indrelid = c.oid
       AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END
     WHERE c.oid = ?::regclass`,
    [table],
  );

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(' - ').at(-1) ?? message;
};

/**
 * Errors about missing permissions, unsupported features, the state of the server, and its number of slots. Other
 * failures may be temporary.
 */
const refusals = /^(42|0A|55)[0-9A-Z]{3}$|^53400$/;

const refusal = (error: unknown, action: string): unknown =>
  error instanceof Error && 'code' in error && refusals.test(String(error.code))
    ? new LogUnavailable(`${action}: ${reasonOf(error)}`)
    : error;

/**
 * Creates the publication, or adds the table to it: a table that was dropped and created again is no longer in it.
 *
 * @returns true when the publication contained the table before
 */
const publish = async (connection: Knex, name: string, target: string): Promise<boolean> => {
  try {
    const [publication] = await rowsOf<{ hasTable: boolean }>(
      connection,
      `SELECT puballtables OR EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = ?::regclass)
         AS "hasTable" FROM pg_publication p WHERE pubname = ?`,
      [target, name],
    );
    if (publication?.hasTable === true) return true;
    const statement = publication === undefined ? `CREATE PUBLICATION ${name} FOR` : `ALTER PUBLICATION ${name} ADD`;
    await connection.raw(`${statement} TABLE ${target.replaceAll('?', String.raw`\?`)}`);
    return false;
  } catch (error) {
    throw refusal(error, `the publication ${name} cannot be created`);
  }
};

/** A slot that is ready to be read. */
interface OpenedSlot {
  readonly name: string;
  readonly confirmed: string;
  /** True: the slot is new and does not contain earlier changes. */
  readonly isNew: boolean;
}

/**
 * Drops a slot that is no longer read, because it would make the database keep its log for ever. The slot stays if the
 * user may not drop it, or if it is in use.
 */
const dropUnread = async (connection: Knex, name: string): Promise<void> => {
  await connection
    .raw('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ? AND NOT active', [
      name,
    ])
    .catch(() => undefined);
};

const makeReady = async (
  connection: Knex,
  name: string,
  table: TableMetadata,
  beforeNew: () => Promise<void>,
): Promise<OpenedSlot> => {
  const [settings] = await rowsOf<{ level: string; version: string }>(
    connection,
    `SELECT current_setting('wal_level') AS level, current_setting('server_version_num') AS version`,
  );
  if (settings?.level !== 'logical')
    throw new LogUnavailable(`wal_level of the server is "${settings?.level}", LOG needs "logical"`);
  if (Number(settings.version) < 140_000) throw new LogUnavailable('LOG needs PostgreSQL 14 or newer');
  const target = await qualifiedName(connection, table);
  if (target === undefined) throw new LogUnavailable('LOG needs a plain table, not a view or a partitioned one');
  const columns = await identityOf(connection, target);
  for (const { column } of table.primaryKeySpecs) {
    const found = columns.find((one) => one.name === column);
    if (found?.inIdentity !== true)
      throw new LogUnavailable(`key column ${JSON.stringify(column)} is not in the replica identity of ${target}`);
    if (!plainCategories.has(found.category) || otherTypes.has(found.type))
      throw new LogUnavailable(`key column ${JSON.stringify(column)} has type ${found.type}, which LOG does not read`);
  }
  const isPublished = await publish(connection, name, target);
  const slots = await rowsOf<{ confirmed: string | null; status: string | null }>(
    connection,
    'SELECT confirmed_flush_lsn::text AS confirmed, wal_status AS status FROM pg_replication_slots WHERE slot_name = ?',
    [name],
  );
  const [slot] = slots;
  if (isPublished && slot !== undefined && slot.status !== 'lost' && slot.confirmed !== null)
    return { name, confirmed: slot.confirmed, isNew: false };
  await beforeNew();
  try {
    if (slot !== undefined) await connection.raw('SELECT pg_drop_replication_slot(?)', [name]);
    const [made] = await rowsOf<{ lsn: string }>(
      connection,
      `SELECT lsn::text AS lsn FROM pg_create_logical_replication_slot(?, 'pgoutput')`,
      [name],
    );
    return { name, confirmed: made?.lsn ?? '0/0', isNew: true };
  } catch (error) {
    throw refusal(error, `the slot ${name} cannot be created`);
  }
};

/**
 * Creates the publication and the slot of a table if they are missing. A slot that the database invalidated is created
 * again.
 *
 * @param beforeNew called before a slot is created
 * @throws LogUnavailable when the source does not allow it; the slot is then dropped if that is possible
 */
export const openLog = async (
  connection: Knex,
  adaptorUuid: string,
  table: TableMetadata,
  beforeNew: () => Promise<void>,
): Promise<OpenedSlot> => {
  const name = logNameOf(adaptorUuid, table);
  try {
    return await makeReady(connection, name, table, beforeNew);
  } catch (error) {
    if (error instanceof LogUnavailable) await dropUnread(connection, name);
    throw error;
  }
};

const inactiveWithin = { attempts: 25, pauseMs: 200 };

/**
 * Waits until the slot is free: that is a moment after its connection was closed. Dropping a slot that stays in use
 * fails.
 */
const untilInactive = async (connection: Knex, name: string): Promise<void> => {
  for (let attempt = 0; attempt < inactiveWithin.attempts; attempt += 1) {
    const active = await rowsOf(connection, 'SELECT 1 FROM pg_replication_slots WHERE slot_name = ? AND active', [
      name,
    ]);
    if (active.length === 0) return;
    await wait(inactiveWithin.pauseMs);
  }
};

/**
 * Removes the slots and publications of this adaptor that no table uses, because a slot without a reader makes the
 * database keep its log for ever.
 */
export const dropUnusedLogs = async (
  connection: Knex,
  adaptorUuid: string,
  used: readonly string[],
): Promise<readonly string[]> => {
  const pattern = `${logPrefixOf(adaptorUuid).replaceAll('_', String.raw`\_`)}%`;
  const slots = await rowsOf<{ name: string }>(
    connection,
    'SELECT slot_name AS name FROM pg_replication_slots WHERE slot_name LIKE ? AND database = current_database()',
    [pattern],
  );
  const unused = slots.map(({ name }) => name).filter((name) => !used.includes(name));
  for (const name of unused) {
    await untilInactive(connection, name);
    await connection.raw('SELECT pg_drop_replication_slot(?)', [name]);
    await connection.raw(`DROP PUBLICATION IF EXISTS ${name}`);
  }
  return unused;
};
