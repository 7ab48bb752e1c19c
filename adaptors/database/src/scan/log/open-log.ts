import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { TableMetadata } from '../../configuration/table-metadata.js';
import { isPermission, readDefinition, refusal, requireServer, requireTable, rowsOf } from './check-postgresql-log.js';
import { LogLost } from './log-lost.js';
import { LogUnavailable } from './log-unavailable.js';

const logPrefixOf = (adaptorUuid: string): string => `fds_${adaptorUuid.replaceAll('-', '')}_`;

/** Name of the slot and of the publication of a table. It is the same after every start. */
export const logNameOf = (adaptorUuid: string, { domain, version, dataSource }: TableMetadata): string => {
  const table = JSON.stringify([domain, version, dataSource.schema ?? null, dataSource.tableName]);
  return `${logPrefixOf(adaptorUuid)}${createHash('sha256').update(table).digest('hex').slice(0, 8)}`;
};

/** Is the table in the publication? */
const publicationOf = async (
  connection: Knex,
  name: string,
  target: string,
): Promise<{ readonly hasTable: boolean; readonly hasOthers: boolean } | undefined> => {
  const [publication] = await rowsOf<{ hasTable: boolean; hasOthers: boolean }>(
    connection,
    `SELECT puballtables OR EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = ?::regclass)
       AS "hasTable",
     EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid <> ?::regclass) AS "hasOthers"
     FROM pg_publication p WHERE pubname = ?`,
    [target, target, name],
  );
  return publication;
};

/**
 * Creates the publication, or adds the table to it: a table that was dropped and created again is no longer in it. The
 * publication has this table only: PostgreSQL refuses changes of a published table without a replica identity, and
 * without ONLY the tables that inherit from this one would be published too.
 *
 * @returns true when the publication contained the table before
 */
const publish = async (connection: Knex, name: string, target: string): Promise<boolean> => {
  const only = `TABLE ONLY ${target.replaceAll('?', String.raw`\?`)}`;
  try {
    const publication = await publicationOf(connection, name, target);
    if (publication === undefined) await connection.raw(`CREATE PUBLICATION ${name} FOR ${only}`);
    else if (publication.hasOthers) {
      // a publication of an administrator may have more tables
      await connection.raw(`ALTER PUBLICATION ${name} SET ${only}`).catch((error: unknown) => {
        if (!publication.hasTable || !isPermission(error)) throw error;
      });
    } else if (!publication.hasTable) await connection.raw(`ALTER PUBLICATION ${name} ADD ${only}`);
    return publication?.hasTable === true;
  } catch (error) {
    throw refusal(error, `the publication ${name} cannot be created`);
  }
};

/** A slot that is ready to be read. */
interface OpenedSlot {
  readonly name: string;
  readonly confirmed: string;
  /** The definition of the table before anything of it is read. */
  readonly definition: string;
  /** True: the slot is new and does not contain earlier changes. */
  readonly isNew: boolean;
}

/** Drops the publication if the user may do that: it limits what may be done with its table. */
const dropPublication = async (connection: Knex, name: string): Promise<void> => {
  await connection.raw(`DROP PUBLICATION IF EXISTS ${name}`).catch(() => undefined);
};

/**
 * Drops a slot that is no longer read, because it would make the database keep its log for ever, and its publication.
 * They stay if the user may not drop them, or if the slot is in use.
 */
const dropUnread = async (connection: Knex, name: string): Promise<void> => {
  await dropPublication(connection, name);
  await connection
    .raw('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ? AND NOT active', [
      name,
    ])
    .catch(() => undefined);
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

const makeReady = async (
  connection: Knex,
  name: string,
  table: TableMetadata,
  beforeNew: () => Promise<void>,
): Promise<OpenedSlot> => {
  await requireServer(connection);
  const target = await requireTable(connection, table);
  const isPublished = await publish(connection, name, target);
  const definition = await readDefinition(connection, target, table);
  const slots = await rowsOf<{ confirmed: string | null; status: string | null }>(
    connection,
    'SELECT confirmed_flush_lsn::text AS confirmed, wal_status AS status FROM pg_replication_slots WHERE slot_name = ?',
    [name],
  );
  const [slot] = slots;
  if (isPublished && slot !== undefined && slot.status !== 'lost' && slot.confirmed !== null)
    return { name, confirmed: slot.confirmed, definition, isNew: false };
  await beforeNew();
  try {
    if (slot !== undefined) {
      await untilInactive(connection, name);
      await connection.raw('SELECT pg_drop_replication_slot(?)', [name]);
    }
    const [made] = await rowsOf<{ lsn: string }>(
      connection,
      `SELECT lsn::text AS lsn FROM pg_create_logical_replication_slot(?, 'pgoutput')`,
      [name],
    );
    return { name, confirmed: made?.lsn ?? '0/0', definition, isNew: true };
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

/**
 * Checks that the log of a table may still be read. If a table has lost what LOG needs, the publication is dropped at
 * once, because PostgreSQL would refuse changes of the table.
 *
 * @returns the definition of the table
 * @throws LogUnavailable; LogLost when the table was created again; any other error when the database does not answer
 */
export const checkOpenLog = async (connection: Knex, name: string, table: TableMetadata): Promise<string> => {
  try {
    const target = await requireTable(connection, table);
    if ((await publicationOf(connection, name, target))?.hasTable !== true)
      throw new LogLost(`${target} is not in the publication ${name}: one of them was dropped`);
    return await readDefinition(connection, target, table);
  } catch (error) {
    if (error instanceof LogUnavailable) await dropPublication(connection, name);
    throw error;
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
  const names = await rowsOf<{ name: string }>(
    connection,
    `SELECT slot_name AS name FROM pg_replication_slots WHERE slot_name LIKE ? AND database = current_database()
     UNION SELECT pubname FROM pg_publication WHERE pubname LIKE ?`,
    [pattern, pattern],
  );
  const unused = names.map(({ name }) => name).filter((name) => !used.includes(name));
  for (const name of unused) {
    await connection.raw(`DROP PUBLICATION IF EXISTS ${name}`);
    await untilInactive(connection, name);
    await connection.raw('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ?', [
      name,
    ]);
  }
  return unused;
};
