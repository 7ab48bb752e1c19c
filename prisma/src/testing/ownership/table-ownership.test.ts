import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findTableUses, type TableUse } from './find-table-uses.js';
import { ownerOfFile, tableOwners } from './table-owners.js';
import { tableReaders } from './table-readers.js';

const root = join(import.meta.dirname, '../../../..');

interface Model {
  readonly delegate: string;
  readonly table: string;
  readonly relations: readonly string[];
}

/** The models of a schema file, each with the models that its fields refer to. */
const modelsOf = (schema: string): Model[] =>
  [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].map(([, name = '', body = '']) => ({
    delegate: name.slice(0, 1).toLowerCase() + name.slice(1),
    table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name,
    relations: [...body.matchAll(/^ {2}\w+ +(\w+)/gm)].flatMap(([, type]) => type ?? []),
  }));

const folder = join(root, 'prisma/schema');
const models = readdirSync(folder).flatMap((file) => modelsOf(readFileSync(join(folder, file), 'utf8')));
const tables = new Set(models.map(({ table }) => table));
const delegates = new Map(models.map(({ delegate, table }) => [delegate, table]));
const ownerOf = new Map(Object.entries(tableOwners).flatMap(([owner, { tables }]) => tables.map((t) => [t, owner])));
const unread = new Set(Object.values(tableOwners).flatMap((owner) => owner.unread ?? []));

const skipped = new Set(['node_modules', 'dist', 'generated', 'testing']);
const isProduct = (name: string): boolean =>
  name.endsWith('.ts') && !name.endsWith('.d.ts') && !/\.(test|contract)\.ts$|^testing/.test(name);

const productFiles = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : productFiles(`${path}/${entry.name}`);
    return isProduct(entry.name) ? [`${path}/${entry.name}`] : [];
  });

const usesIn = (source: string): TableUse[] => findTableUses(source, tables, delegates);

const sources = [
  'prisma/src',
  'subgraphs',
  'gateway/src',
  'rest-facade/src',
  'adaptors/bus/src',
  'adaptors/broker/src',
];
const files = sources
  .flatMap(productFiles)
  .map((path) => ({ path, uses: usesIn(readFileSync(join(root, path), 'utf8')) }));

const isOwn = (path: string, table: string): boolean => {
  const owner = ownerOf.get(table);
  return owner !== undefined && ownerOfFile(path) === owner;
};

/** The tables of others that a file reads, sorted. */
const foreignReads = (path: string, uses: readonly TableUse[]): string[] => {
  const read = uses.flatMap(({ kind, table }) => (kind === 'read' && !isOwn(path, table) ? table : []));
  return [...new Set(read)].toSorted();
};

/** Files that write tables whose names they read from the database: a restore writes the rows of every owner. */
const writersOfAll: ReadonlySet<string> = new Set(['prisma/src/backup/restore-snapshot.ts']);

/** Statements of a file that break the rules for tables of other owners. */
const breachesOf = (path: string, uses: readonly TableUse[]): string[] =>
  uses.flatMap(({ kind, table, line }) => {
    const owner = ownerOf.get(table);
    if (isOwn(path, table) || (owner === undefined && writersOfAll.has(path))) return [];
    if (kind === 'read' && !unread.has(table)) return [];
    return `${path}:${line} ${kind}s ${table}, which ${owner ?? 'nobody'} owns`;
  });

describe('the owners of tables', () => {
  test('every table of the schema has one owner, and no other table has one', () => {
    const declared = Object.values(tableOwners).flatMap((owner) => owner.tables);
    expect(declared.toSorted()).toEqual([...tables].toSorted());
    expect(declared).toHaveLength(new Set(declared).size);
  });

  // a nested write of Prisma follows relations, so it must stay with the owner of the called model
  test('no relation of the schema leads to a table of another owner', () => {
    const tableOf = new Map(models.map(({ delegate, table }) => [delegate.toLowerCase(), table]));
    const foreign = models.flatMap(({ table, relations }) =>
      relations.flatMap((type) => {
        const target = tableOf.get(type.toLowerCase());
        return target === undefined || ownerOf.get(target) === ownerOf.get(table) ? [] : `${table} -> ${target}`;
      }),
    );
    expect(foreign).toEqual([]);
  });

  test('only the owner of a table writes it', () => {
    expect(files.flatMap(({ path, uses }) => breachesOf(path, uses))).toEqual([]);
    // the search really finds the existing writes
    const written = files.flatMap(({ uses }) => uses.flatMap(({ kind, table }) => (kind === 'write' ? table : [])));
    expect([...new Set(written)].filter((table) => ownerOf.has(table)).toSorted()).toEqual([...tables].toSorted());
  });

  test('the list of readers contains exactly the files that read tables of another owner', () => {
    const read = files.flatMap(({ path, uses }) => {
      const foreign = foreignReads(path, uses);
      return foreign.length === 0 ? [] : [[path, foreign] as const];
    });
    const declared = Object.entries(tableReaders).flatMap(([source, readers]) =>
      Object.entries(readers).map(([file, tablesRead]) => [`${source}/${file}`, tablesRead] as const),
    );
    expect(Object.fromEntries(read)).toEqual(Object.fromEntries(declared));
  });

  test.each([
    ['a JOIN', 'pool.query(`SELECT 1 FROM data_record r JOIN zone ON true`)'],
    ['a later table of a list', 'pool.query(`SELECT 1 FROM data_record AS r, zone z, record_link WHERE true`)'],
    ['a subquery', "pool.query('SELECT (SELECT name FROM zone WHERE uuid = $1)')"],
    ['a Prisma call', 'await tx.zone.count({ where })'],
  ])('finds %s as a read in another package', (_, source) => {
    expect(foreignReads('subgraphs/records/src/store/x.ts', usesIn(source))).toEqual(['zone']);
    expect(foreignReads('subgraphs/catalog/src/store/x.ts', usesIn(source))).not.toContain('zone');
  });

  test.each([
    ['an INSERT', 'pool.query(`INSERT INTO zone_acl (uuid) VALUES ($1)`)'],
    ['an UPDATE with an alias', "pool.query('UPDATE zone_acl AS a SET position = 1')"],
    ['an UPDATE in small letters', "pool.query('update zone_acl set position = 1')"],
    ['a DELETE within a WITH', 'pool.query(`WITH gone AS (\n  DELETE FROM "zone_acl" RETURNING uuid) SELECT 1`)'],
    ['a table that an expression names', 'pool.query(`DELETE FROM ${table} WHERE uuid = $1`)'],
    ['a Prisma call', 'await tx.zoneAcl.updateMany({ data })'],
    ['a Prisma call on a database', 'await database.prisma.zoneAcl.upsert(row)'],
    ['a read of a table that only its owner may read', 'pool.query(`SELECT 1 FROM zone z JOIN zone_acl USING (uuid)`)'],
  ])('finds %s in another package', (_, source) => {
    expect(breachesOf('subgraphs/records/src/store/x.ts', usesIn(source))).toHaveLength(1);
    expect(breachesOf('subgraphs/governance/src/store/x.ts', usesIn(source))).toHaveLength(
      source.includes('${') ? 1 : 0,
    );
  });

  test.each([
    ['a lock', 'pool.query(`SELECT 1 FROM zone WHERE uuid = $1 FOR NO KEY UPDATE`)'],
    ['prose', "describe('Update role members, delete from lists')"],
    ['a read', 'prisma.zone.findMany()'],
  ])('%s does not count as a write', (_, source) => {
    expect(breachesOf('subgraphs/records/src/store/x.ts', usesIn(source))).toEqual([]);
  });
});
