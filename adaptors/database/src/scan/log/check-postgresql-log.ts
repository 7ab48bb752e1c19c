import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { TableMetadata } from '../../configuration/table-metadata.js';
import { LogUnavailable } from './log-unavailable.js';

export const rowsOf = async <T>(
  connection: Knex,
  sql: string,
  parameters: readonly string[] = [],
): Promise<readonly T[]> => {
  const answer: { rows: T[] } = await connection.raw(sql, parameters as string[]);
  return answer.rows;
};

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(' - ').at(-1) ?? message;
};

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/**
 * Errors about missing permissions, unsupported features, invalid objects, the state of the server, its number of slots, and
 * a plugin that is not installed. Other failures may be temporary.
 */
const refusals = /^(42|0A|55)[0-9A-Z]{3}$|^(53400|22023|58P01)$/;

/** The error that says whether the source refuses an action, or fails. */
export const refusal = (error: unknown, action: string): unknown =>
  refusals.test(codeOf(error)) ? new LogUnavailable(`${action}: ${reasonOf(error)}`, { cause: error }) : error;

/** @throws LogUnavailable when no table of the server can be read from its log */
export const requireServer = async (connection: Knex): Promise<void> => {
  const [settings] = await rowsOf<{ level: string; version: string }>(
    connection,
    `SELECT current_setting('wal_level') AS level, current_setting('server_version_num') AS version`,
  );
  if (settings?.level !== 'logical')
    throw new LogUnavailable(`wal_level of the server is "${settings?.level}", LOG needs "logical"`);
  if (Number(settings.version) < 140_000) throw new LogUnavailable('LOG needs PostgreSQL 14 or newer');
};

interface Relation {
  /** Qualified and quoted. */
  readonly name: string;
  readonly kind: string;
  readonly persistence: string;
  readonly hasChildren: boolean;
}

const relationOf = async (connection: Knex, { dataSource }: TableMetadata): Promise<Relation | undefined> => {
  const { schema, tableName } = dataSource;
  const [relation] = await rowsOf<Relation>(
    connection,
    `SELECT format('%I.%I', n.nspname, c.relname) AS name, c.relkind AS kind, c.relpersistence AS persistence,
       EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid) AS "hasChildren"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname = coalesce(nullif(?, ''), n.nspname)
     AND (? <> '' OR pg_table_is_visible(c.oid))`,
    [tableName, schema ?? '', schema ?? ''],
  );
  return relation;
};

interface KeyColumn {
  readonly name: string;
  readonly category: string;
  readonly type: string;
  readonly inIdentity: boolean;
}

/** The columns of a table, and whether the log contains them for a changed or deleted row. */
const identityOf = (connection: Knex, table: string): Promise<readonly KeyColumn[]> =>
  rowsOf(
    connection,
    `SELECT a.attname AS name, t.typcategory AS category, t.typname AS type,
       (c.relreplident = 'f' OR a.attnum = ANY (i.indkey)) AS "inIdentity"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     JOIN pg_type t ON t.oid = a.atttypid
     LEFT JOIN pg_index i ON i.indrelid = c.oid
       AND CASE c.relreplident WHEN 'd' THEN i.indisprimary AND i.indimmediate WHEN 'i' THEN i.indisreplident ELSE false END
     WHERE c.oid = ?::regclass`,
    [table],
  );

const plainEncodings = new Set(['UTF8', 'SQL_ASCII']);

const encodingOf = async (connection: Knex): Promise<string> => {
  const [found] = await rowsOf<{ encoding: string }>(
    connection,
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  return found?.encoding ?? '';
};

/** Types of key columns whose values have the same spelling in the log and in a query. */
const plainCategories = new Set(['N', 'S', 'U', 'B', 'E']);
const otherTypes = new Set(['float4', 'float8', 'bytea', 'json', 'jsonb']);

/**
 * Checks that the log of a table can be read.
 *
 * @returns the qualified and quoted name of the table
 * @throws LogUnavailable with the first missing requirement; Error when the table does not exist
 */
export const requireTable = async (connection: Knex, table: TableMetadata): Promise<string> => {
  const relation = await relationOf(connection, table);
  if (relation === undefined) throw new Error(`there is no table ${JSON.stringify(table.dataSource.tableName)}`);
  const { name, kind, persistence, hasChildren } = relation;
  if (kind !== 'r') throw new LogUnavailable('LOG needs a plain table, not a view or a partitioned one');
  if (persistence !== 'p') throw new LogUnavailable(`changes of ${name} are not in the log: it is UNLOGGED`);
  if (hasChildren)
    throw new LogUnavailable(`other tables inherit from ${name}: their rows belong to it, but not to its log`);
  const columns = await identityOf(connection, name);
  const encoding = await encodingOf(connection);
  for (const { column } of table.primaryKeySpecs) {
    const found = columns.find((one) => one.name === column);
    if (found?.inIdentity !== true)
      throw new LogUnavailable(`key column ${JSON.stringify(column)} is not in the replica identity of ${name}`);
    if (!plainCategories.has(found.category) || otherTypes.has(found.type))
      throw new LogUnavailable(`key column ${JSON.stringify(column)} has type ${found.type}, which LOG does not read`);
    // the log is not converted to another encoding
    if (found.category !== 'N' && found.type !== 'uuid' && !plainEncodings.has(encoding))
      throw new LogUnavailable(
        `key column ${JSON.stringify(column)} is a text in a database with the encoding ${encoding}; LOG reads UTF8`,
      );
  }
  return name;
};

/**
 * The file of a table and the definitions of its columns. ALTER TABLE can give each row another value without an entry in
 * the log. One of the following then differs: the file; number, type, stored default and expression of a column; the
 * labels of an enum. The index of the replica identity is another one if it was missing for a time; in that time the
 * log lacks the former keys of rows.
 */
const definitionQuestion = `SELECT c.oid::text AS oid, c.relfilenode::text AS file, c.relreplident AS kind,
    (SELECT string_agg(i.indexrelid::text, ' ' ORDER BY i.indexrelid) FROM pg_index i WHERE i.indrelid = c.oid
      AND CASE c.relreplident WHEN 'd' THEN i.indisprimary AND i.indimmediate WHEN 'i' THEN i.indisreplident ELSE false END) AS identity, coalesce(jsonb_agg(jsonb_build_array(a.attname, a.attnum, a.atttypid::text,
    a.atttypmod, a.attcollation::text, a.attmissingval::text, CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) END,
    (SELECT jsonb_agg(e.enumlabel ORDER BY e.oid) FROM pg_enum e WHERE e.enumtypid = a.atttypid)) ORDER BY a.attnum)
    FILTER (WHERE a.attname IN (SELECT jsonb_array_elements_text(?::jsonb))), '[]')::text AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.oid = ?::regclass GROUP BY c.oid, c.relfilenode, c.relreplident`;

/** Columns that the adaptor reads. */
const columnsOf = ({ primaryKeySpecs, dataColumns, timestampSpec }: TableMetadata): readonly string[] => [
  ...primaryKeySpecs.map(({ column }) => column),
  ...Object.keys(dataColumns),
  ...(timestampSpec === undefined ? [] : [timestampSpec.columnName]),
];

/** Distinguishes the definitions of a table between which its rows may have got other values. */
export const readDefinition = async (connection: Knex, target: string, table: TableMetadata): Promise<string> => {
  const [found] = await rowsOf<Readonly<Record<string, string | null>>>(connection, definitionQuestion, [
    JSON.stringify(columnsOf(table)),
    target,
  ]);
  if (found === undefined) throw new Error(`there is no table ${target}`);
  return createHash('sha256').update(JSON.stringify(found)).digest('hex').slice(0, 16);
};

interface Rights {
  readonly mayReplicate: boolean;
  readonly hasFreeSlot: boolean;
}

/**
 * Checks what the adaptor needs to create the slot of a table. Creates nothing.
 *
 * @throws LogUnavailable with the first missing right or resource
 */
export const requireRights = async (connection: Knex, table: TableMetadata): Promise<void> => {
  await requireTable(connection, table);
  const [rights] = await rowsOf<Rights>(
    connection,
    `SELECT EXISTS (SELECT FROM pg_roles r WHERE (r.rolname = current_user AND (r.rolsuper OR r.rolreplication))
         OR (r.rolname IN ('rds_replication', 'azure_pg_admin', 'cloudsqlsuperuser') AND pg_has_role(r.oid, 'member'))) AS "mayReplicate",
       (SELECT count(*) < current_setting('max_replication_slots')::int OR bool_or(slot_name LIKE 'fds\\_%')
         FROM pg_replication_slots) AS "hasFreeSlot"`,
  );
  if (rights === undefined) throw new Error('the server does not name the rights of the user');
  if (!rights.mayReplicate) throw new LogUnavailable('the user lacks the attribute REPLICATION');
  if (!rights.hasFreeSlot) throw new LogUnavailable('all replication slots of the server are in use');
};
