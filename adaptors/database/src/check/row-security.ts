import type { TableMetadata } from '../configuration/table-metadata.js';
import { pointerOf } from '../configuration/fault.js';
import { regclassName } from '../source/identifier.js';
import type { OpenedDatabase } from '../source/open-databases.js';

/** Tables whose rows a policy may hide from the user: the table itself, and those behind a view that has the rights of its reader. */
const question = `WITH RECURSIVE seen AS (
    SELECT to_regclass(?)::oid AS id
    UNION SELECT d.refobjid FROM seen JOIN pg_class v ON v.oid = seen.id AND v.relkind = 'v'
        AND EXISTS (SELECT FROM pg_options_to_table(v.reloptions) o
          WHERE o.option_name = 'security_invoker' AND o.option_value::boolean)
      JOIN pg_rewrite r ON r.ev_class = v.oid JOIN pg_depend d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass
        AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid)
  SELECT c.oid::regclass::text AS name FROM seen JOIN pg_class c ON c.oid = seen.id WHERE row_security_active(c.oid)`;

/**
 * Warnings about tables of PostgreSQL whose policies apply to the user of the adaptor. A row that a policy hides looks like
 * a deleted one.
 *
 * @returns a sentence for each table, with its place in the metadata
 * @throws Error when a source does not answer
 */
export const findRowSecurity = async (
  tables: readonly TableMetadata[],
  opened: ReadonlyMap<string, OpenedDatabase>,
): Promise<readonly string[]> => {
  const warnings: string[] = [];
  for (const [index, { dataSource, scanOptions }] of tables.entries()) {
    const source = opened.get(dataSource.name);
    if (source?.database.address.dialect !== 'postgresql' || !scanOptions.enableProcessor) continue;
    const { rows } = await source.knex.raw<{ rows: readonly { readonly name: string }[] }>(question, [
      regclassName(dataSource),
    ]);
    for (const { name: secured } of rows)
      warnings.push(
        `${pointerOf('tables', index, 'dataSource', 'tableName')}: row level security of ${secured} applies to the user of the adaptor. ` +
          'A row that a policy hides looks like a deleted one, and its deletion is reported. Give the user BYPASSRLS (ALTER ROLE ... BYPASSRLS), or a policy FOR SELECT USING (true)',
      );
  }
  return warnings;
};
