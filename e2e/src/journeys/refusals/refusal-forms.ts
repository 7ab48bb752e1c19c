import type { WalkedDatabase } from './walked-databases.js';

/** Values of a record without its id. */
interface Values {
  readonly v?: string | null;
  readonly n?: number;
}

/** The event that a database refuses. */
export interface RefusedEvent {
  readonly action: 'POST' | 'PUT' | 'DELETE';
  readonly id: string;
  readonly json?: Values;
  /** True: the other records of the table have no v. */
  readonly onlyN?: boolean;
}

/** How a database comes to refuse the event. */
export interface Refusal {
  /** Statements that make the table; default: the plain table. */
  readonly table?: readonly string[];
  /** The cause begins. @returns removes it */
  readonly begin?: (database: WalkedDatabase) => Promise<() => Promise<void>>;
  /** Statements that remove the cause, where none began it. */
  readonly end?: readonly string[];
  /**
   * DATA: a data issue, and the other records of the table go on. WAITS: the event waits, with those of its table.
   * CONFIGURATION: as before, until a person changes a right or a table.
   */
  readonly answer: 'DATA' | 'WAITS' | 'CONFIGURATION';
  /** Text of the issue, or of the log of the adaptor. */
  readonly says?: RegExp;
  /** The content of the row afterwards, where it is not that of the event. */
  readonly row?: Values;
  /** True: the row cannot be read while the cause lasts. */
  readonly hidden?: boolean;
}

/** The record that each table has before its cause begins. */
export const first = { id: 'first', v: 'taken', n: 1 } as const;
/** The record that follows the refused one. */
export const other = { id: 'other', v: 'fine', n: 2 } as const;

const insert = (json: Values): RefusedEvent => ({ action: 'POST', id: 'bad', json });
const update = (json: Values): RefusedEvent => ({ action: 'PUT', id: 'first', json });
const remove: RefusedEvent = { action: 'DELETE', id: 'first' };

/** The events by form. A form is a domain and a table of the same name, in each database that can refuse in this way. */
export const refusedEvents = {
  not_null: insert({ n: 3 }),
  not_null_update: update({ v: null }),
  violated_check: insert({ v: 'bad' }),
  foreign_key: insert({ v: 'absent' }),
  foreign_key_at_commit: insert({ v: 'absent' }),
  foreign_key_of_another: remove,
  unique_value: insert({ v: 'taken' }),
  exclusion: insert({ v: 'taken' }),
  too_long: insert({ v: 'x'.repeat(30) }),
  out_of_range: insert({ v: 'a', n: 100_000 }),
  unlisted: insert({ v: 'bad' }),
  unlisted_of_set: insert({ v: 'bad' }),
  raised: insert({ v: 'bad' }),
  raised_update: update({ v: 'bad' }),
  raised_delete: remove,
  raised_own: insert({ v: 'bad' }),
  ignored: insert({ v: 'bad' }),
  ignored_update: update({ v: 'bad' }),
  ignored_delete: remove,
  set_back: update({ v: 'bad' }),
  removed_again: insert({ v: 'bad' }),
  idle_view: insert({ v: 'bad' }),
  idle_view_update: update({ v: 'bad' }),
  idle_view_delete: remove,
  idle_rule: insert({ v: 'bad' }),
  idle_rule_update: update({ v: 'bad' }),
  view_check: insert({ v: 'bad' }),
  other_key: insert({ v: 'bad' }),
  other_key_update: update({ v: 'bad' }),
  policy: insert({ v: 'bad' }),
  hidden_by_policy: insert({ v: 'bad' }),
  policy_of_update: update({ v: 'bad' }),
  policy_of_delete: remove,
  computed: { ...insert({ v: 'bad' }), onlyN: true },
  no_partition: insert({ v: 'bad' }),
  coarse_key: { action: 'POST', id: 'FIRST', json: { v: 'bad' } },
  no_insert: insert({ v: 'bad' }),
  no_update: update({ v: 'bad' }),
  no_delete: remove,
  no_update_of_column: update({ v: 'bad' }),
  dropped_column: insert({ v: 'bad' }),
  dropped_table: insert({ v: 'bad' }),
  locked_table: insert({ v: 'bad' }),
  locked_row: update({ v: 'bad' }),
  slow_statement: insert({ v: 'bad' }),
  lost_connection: insert({ v: 'bad' }),
  full_disk: insert({ v: 'x'.repeat(2_000) }),
} as const satisfies Readonly<Record<string, RefusedEvent>>;

export type Form = keyof typeof refusedEvents;
export type RefusalsOf = Readonly<Partial<Record<Form, Refusal>>>;

/** A cause that statements begin and end. */
export const between =
  (begin: readonly string[], end: readonly string[]): NonNullable<Refusal['begin']> =>
  async (database) => {
    await database.run(...begin);
    return () => database.run(...end);
  };

/** A cause that lasts as long as another program keeps its transaction. */
export const held =
  (...sql: readonly string[]): NonNullable<Refusal['begin']> =>
  async (database) => {
    const holder = await database.hold();
    for (const statement of sql) await holder.run(statement);
    return async () => {
      await holder.run('ROLLBACK');
      await holder.end();
    };
  };
