import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { TableMetadata } from '../../configuration/table-metadata.js';
import { readDefinition, refusal, requireServer, requireTable, rowsOf } from './check-postgresql-log.js';
import { LogUnavailable } from './log-unavailable.js';

const logPrefixOf = (adaptorUuid: string): string => `fds_${adaptorUuid.replaceAll('-', '')}_`;

/** Name of the slot of a table. It is the same after every start. */
export const logNameOf = (adaptorUuid: string, { domain, version, dataSource }: TableMetadata): string => {
  const table = JSON.stringify([domain, version, dataSource.schema ?? null, dataSource.tableName]);
  return `${logPrefixOf(adaptorUuid)}${createHash('sha256').update(table).digest('hex').slice(0, 8)}`;
};

/** A slot that is ready to be read. */
interface OpenedSlot {
  readonly name: string;
  /** Qualified and quoted name of the table. */
  readonly target: string;
  readonly confirmed: string;
  /** The definition of the table before anything of it is read. */
  readonly definition: string;
  /** True: the slot is new and does not contain earlier changes. */
  readonly isNew: boolean;
}

/**
 * Earlier versions of the adaptor made a publication. PostgreSQL refuses an UPDATE or DELETE in a published table that loses its
 * replica identity, so it is dropped if the user may do that.
 */
const dropPublication = async (connection: Knex, name: string): Promise<void> => {
  await connection.raw(`DROP PUBLICATION IF EXISTS ${name}`).catch(() => undefined);
};

/**
 * Drops a slot that is no longer read, because it would make the database keep its log for ever. It stays if the user may
 * not drop it, or if it is in use.
 */
const dropUnread = async (connection: Knex, name: string): Promise<void> => {
  await connection
    .raw('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ? AND NOT active', [
      name,
    ])
    .catch(() => undefined);
};

/** Needs no publication, so it never limits the statements of an application. */
const outputPlugin = 'test_decoding';

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

const makeReady = async (
  connection: Knex,
  name: string,
  table: TableMetadata,
  beforeNew: () => Promise<void>,
): Promise<OpenedSlot> => {
  await requireServer(connection);
  const target = await requireTable(connection, table);
  const definition = await readDefinition(connection, target, table);
  const [slot] = await rowsOf<{ confirmed: string | null; status: string | null; plugin: string }>(
    connection,
    'SELECT confirmed_flush_lsn::text AS confirmed, wal_status AS status, plugin FROM pg_replication_slots WHERE slot_name = ?',
    [name],
  );
  if (slot !== undefined && slot.status !== 'lost' && slot.confirmed !== null && slot.plugin === outputPlugin)
    return { name, target, confirmed: slot.confirmed, definition, isNew: false };
  await beforeNew();
  try {
    if (slot !== undefined) {
      await untilInactive(connection, name);
      await connection.raw('SELECT pg_drop_replication_slot(?)', [name]);
    }
    const made = await connection.transaction(async (transaction) => {
      // a new slot waits for the transactions that run
      await transaction.raw('SET LOCAL lock_timeout = 0');
      const [slot] = await rowsOf<{ lsn: string }>(
        transaction,
        'SELECT lsn::text AS lsn FROM pg_create_logical_replication_slot(?, ?)',
        [name, outputPlugin],
      );
      return slot;
    });
    return { name, target, confirmed: made?.lsn ?? '0/0', definition, isNew: true };
  } catch (error) {
    throw refusal(error, `the slot ${name} cannot be created`);
  }
};

/**
 * Creates the slot of a table if it is missing. A slot that the database invalidated, or that has another plugin, is created
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
  await dropPublication(connection, name);
  try {
    return await makeReady(connection, name, table, beforeNew);
  } catch (error) {
    if (error instanceof LogUnavailable) await dropUnread(connection, name);
    throw error;
  }
};

/**
 * Checks that the log of a table may still be read.
 *
 * @returns the definition of the table
 * @throws LogUnavailable; any other error when the table does not exist, or the database does not answer
 */
export const checkOpenLog = async (connection: Knex, table: TableMetadata): Promise<string> =>
  readDefinition(connection, await requireTable(connection, table), table);

/**
 * Removes the slots of this adaptor that no table uses, and the publications of its earlier versions, because a slot without a reader makes the
 * database keep its log for ever.
 */
export const dropUnusedLogs = async (
  connection: Knex,
  adaptorUuid: string,
  used: readonly string[],
): Promise<readonly string[]> => {
  const pattern = `${logPrefixOf(adaptorUuid).replaceAll('_', String.raw`\_`)}%`;
  const publications = await rowsOf<{ name: string }>(
    connection,
    'SELECT pubname AS name FROM pg_publication WHERE pubname LIKE ?',
    [pattern],
  );
  for (const { name } of publications) await dropPublication(connection, name);
  const slots = await rowsOf<{ name: string }>(
    connection,
    `SELECT slot_name AS name FROM pg_replication_slots WHERE slot_name LIKE ? AND database = current_database()`,
    [pattern],
  );
  const unused = slots.map(({ name }) => name).filter((name) => !used.includes(name));
  for (const name of unused) {
    await untilInactive(connection, name);
    await connection.raw('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ?', [
      name,
    ]);
  }
  return unused;
};
