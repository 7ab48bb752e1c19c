import ts from 'typescript';

/** A statement or a Prisma call that uses a table. */
export interface TableUse {
  readonly kind: 'read' | 'write';
  /** `?` when the statement has an expression in place of the table name. */
  readonly table: string;
  readonly line: number;
}

const name = String.raw`(?:ONLY\s+)?(?:public\.)?"?([a-z_]+|\?)"?`;
/** Keywords before a table name. UPDATE is also an English word, so it must be in capitals or be followed by SET. */
const writes = [
  new RegExp(String.raw`\b(?:INSERT|MERGE)\s+INTO\s+${name}`, 'gi'),
  new RegExp(String.raw`\bDELETE\s+FROM\s+${name}`, 'gi'),
  new RegExp(String.raw`(?<!\b(?:FOR|KEY|DO)\s+)\bUPDATE\s+${name}`, 'g'),
  new RegExp(String.raw`(?<!\b(?:for|key|do)\s+)\bupdate\s+${name}(?:\s+(?:as\s+)?[a-z_]+)?\s+set\b`, 'gi'),
  new RegExp(String.raw`\b(?:TRUNCATE|ALTER)\s+TABLE\s+${name}`, 'gi'),
  new RegExp(String.raw`\bTRUNCATE\s+${name}`, 'g'),
  new RegExp(String.raw`\bCREATE\s+(?:UNIQUE\s+)?INDEX\b[^;]*?\bON\s+${name}`, 'g'),
  new RegExp(String.raw`\bCOPY\s+${name}(?:\s*\([^)]*\))?\s+FROM\b`, 'gi'),
];
const reads = [
  new RegExp(String.raw`(?<!\bDELETE\s+)\b(?:FROM|JOIN|USING)\s+${name}`, 'g'),
  // a later table of `FROM one AS o, other`
  new RegExp(String.raw`(?<=\bFROM\s+(?:[a-z_."?]+(?:\s+(?:AS\s+)?[a-z_]+)?\s*,\s*)+)${name}`, 'g'),
];

const prismaWrites = new Set([
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
]);
const prismaReads = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
]);

/** The text of a string or template, with `?` for each expression. */
const textOf = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `?${literal.text}`).join('');
};

/** The tables of a statement, without duplicates. */
const statementTables = (text: string): Pick<TableUse, 'kind' | 'table'>[] => {
  const found = (kind: TableUse['kind'], patterns: readonly RegExp[]) =>
    patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].flatMap(([, table]) => (table === undefined ? [] : { kind, table })),
    );
  const all = [...found('write', writes), ...found('read', reads)];
  return all.filter(
    ({ kind, table }, index) => all.findIndex((use) => use.kind === kind && use.table === table) === index,
  );
};

/** The table of a Prisma delegate: `tx.zone`, or a variable `zone` that was destructured from a client. */
const tableOf = (delegate: ts.Expression, models: ReadonlyMap<string, string>): string | undefined => {
  if (ts.isPropertyAccessExpression(delegate)) return models.get(delegate.name.text);
  return ts.isIdentifier(delegate) ? models.get(delegate.text) : undefined;
};

/**
 * All tables that a source file reads or writes, by SQL in its strings and templates, and by Prisma calls.
 *
 * @param tables the tables of the schema; other words after an SQL keyword are not tables
 * @param models the table of each Prisma delegate
 */
export const findTableUses = (
  source: string,
  tables: ReadonlySet<string>,
  models: ReadonlyMap<string, string>,
): TableUse[] => {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest);
  const uses: TableUse[] = [];
  const lineOf = (node: ts.Node): number => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined) {
      for (const { kind, table } of statementTables(text)) {
        // a read whose table is an expression uses SQL that was built elsewhere, and it is found there
        if (tables.has(table) || (table === '?' && kind === 'write')) uses.push({ kind, table, line: lineOf(node) });
      }
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const table = tableOf(node.expression.expression, models);
      const method = node.expression.name.text;
      if (table !== undefined && prismaWrites.has(method)) uses.push({ kind: 'write', table, line: lineOf(node) });
      if (table !== undefined && prismaReads.has(method)) uses.push({ kind: 'read', table, line: lineOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return uses;
};
