import type { Random } from '@fds/testing';
import { type ChinookDatabase, requireTable } from './chinook-database.js';
import { type ChinookTable, keyOf } from './chinook-tables.js';
import type { EditLedger } from './edit-ledger.js';

/** Simulates the programs of one customer, which edit random rows of their database. */
export interface Editor {
  edit(): Promise<void>;
  /** Updates a row that only this editor writes. */
  update(): Promise<void>;
}

interface EditorOptions {
  readonly database: ChinookDatabase;
  /** Index of this editor. Each row has one owner, the only editor that writes it. A tenth of the rows has no owner. */
  readonly index: number;
  readonly editors: number;
  /** Keys of the rows that all databases have, by table. */
  readonly keys: ReadonlyMap<ChinookTable, readonly number[]>;
  readonly random: Random;
  readonly ledger: EditLedger;
}

const editedColumns: Readonly<Record<string, string>> = { Customer: 'City', Artist: 'Name', Invoice: 'BillingCity' };
const columnOf = ({ table }: ChinookTable): string => editedColumns[table] ?? '';

/** Size of the key range of an editor's new rows. */
const keysOfEditor = 1_000_000;
const endings = ['', ' ü', " 's", ' "x"', ' 東京', ' ⚡', ' \\'];

export const createEditor = ({ database, index, editors, keys, random, ledger }: EditorOptions): Editor => {
  let edits = 0;
  const own = [...keys].flatMap(([table, all]) =>
    all.filter((key) => key % 10 !== 0 && key % editors === index).map((key) => ({ table, key })),
  );
  const shared = [...keys].flatMap(([table, all]) =>
    all.filter((key) => key % 10 === 0).map((key) => ({ table, key })),
  );
  const inserted: { readonly table: ChinookTable; readonly key: number }[] = [];
  const nextValue = (): string => `${database.kind} ${(edits += 1)}${random.pick(endings)}`;

  const updateOwn = async (): Promise<void> => {
    const { table, key } = random.pick([...own, ...inserted]);
    const change = { column: columnOf(table), value: nextValue() };
    await database.update(table, key, change.column, change.value);
    ledger.mustBe(table, key, change);
  };
  const updateShared = async (): Promise<void> => {
    const { table, key } = random.pick(shared);
    const [column, value] = [columnOf(table), nextValue()];
    ledger.mayBe(table, key, column, value);
    await database.update(table, key, column, value);
  };
  const insert = async (): Promise<void> => {
    const table = requireTable(random.pick(['Artist', 'Customer']));
    const value = nextValue();
    const key = (index + 1) * keysOfEditor + edits;
    const column = columnOf(table);
    const person: Readonly<Record<string, string>> =
      table.table === 'Customer' ? { FirstName: 'New', LastName: 'Customer', Email: `${key}@x.org` } : {};
    await database.insert(table, { [keyOf(table).name]: key, ...person, [column]: value });
    inserted.push({ table, key });
    ledger.mustBe(table, key, { column, value });
  };
  const deleteInserted = async (): Promise<void> => {
    const [row] = inserted.splice(random.below(inserted.length), 1);
    if (row === undefined) return insert();
    await database.delete(row.table, row.key);
    ledger.mustBe(row.table, row.key, 'GONE');
  };

  return {
    update: updateOwn,
    edit: () => {
      const choice = random.next();
      if (choice < 0.6) return updateOwn();
      if (choice < 0.75) return updateShared();
      return choice < 0.9 ? insert() : deleteInserted();
    },
  };
};
