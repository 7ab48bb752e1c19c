import type { Database, SqlSession } from '@fds/database';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

interface Explained extends Record<string, unknown> {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Does it read a table whole: the table, or all entries of an index? The condition of a bitmap is that of its index. */
const isScan = (node: PlanNode): boolean =>
  node['Relation Name'] !== undefined &&
  (node['Node Type'] === 'Seq Scan' || (node['Node Type'].startsWith('Index') && node['Index Cond'] === undefined));

const scansOf = async (
  session: SqlSession,
): Promise<{ readonly planned: number; readonly scans: readonly string[] }> => {
  const { rows: statements } = await session.query<{ readonly name: string; readonly parameters: number }>({
    text: `SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE name LIKE '%-%'`,
  });
  const scans: string[] = [];
  for (const { name, parameters } of statements) {
    const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'NULL').join(', ')})`;
    const { rows } = await session.query<Explained>({ text: `EXPLAIN (FORMAT JSON) EXECUTE "${name}"${values}` });
    const nodes = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)));
    scans.push(...nodes.filter(isScan).map((node) => `${name} ${node['Relation Name']}`));
  }
  return { planned: statements.length, scans };
};

/**
 * The tables that the named statements of pipelined transactions scan whole, as `<statement> <table>`. Such a statement keeps
 * its plan while the tables grow; these plans are made for the tables of a test, which are small.
 *
 * @throws Error when no statement was prepared
 */
export const findScans = async (
  database: Pick<Database, 'pool' | 'pipelinedTransaction'>,
): Promise<readonly string[]> => {
  await database.pool.query('ANALYZE');
  // at the same time, so that each looks at another connection
  const found = await Promise.all([database.pipelinedTransaction(scansOf), database.pipelinedTransaction(scansOf)]);
  if (found.every(({ planned }) => planned === 0)) throw new Error('no statement was prepared');
  return found.flatMap(({ scans }) => scans);
};
