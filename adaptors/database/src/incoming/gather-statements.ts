import type { JsonValue } from '@fds/adaptor-protocol';
import { columnText, type ColumnValue, type ColumnValues } from '../columns/column-text.js';
import type { ColumnType } from '../configuration/table-metadata.js';
import type { ColumnEquality } from '../source/column-equality.js';
import { type ManyRows, NotTogether } from '../source/many-rows.js';
import type { KnownRow } from '../source/row-base.js';
import { rowKeyText, type RowKey } from '../source/row-key.js';
import type { SourceRow } from '../source/source-row.js';
import type { SourceTable } from '../source/source-table.js';
import type { Stored, WritableTable } from '../source/writable-table.js';
import type { TableState } from '../state/adaptor-state.js';

/** The access of one event to the transaction of several events. */
export interface Gathered {
  readonly rows: WritableTable;
  readonly state: Pick<TableState, 'knownRows'>;
  /** Has the event written something? */
  readonly hasWritten: () => boolean;
}

interface Request {
  /** The event. */
  readonly of: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

type Requests<Input> = (Request & { readonly input: Input })[];

/** A request of a kind that is worked on one at a time, in the order of the keys. */
interface Single {
  readonly keyText: string;
  readonly run: () => Promise<unknown>;
}

interface Update {
  readonly key: RowKey;
  readonly values: ColumnValues;
}

const isText = (equality: ColumnEquality | undefined): boolean =>
  /collation|char|clob|text/i.test(equality?.description ?? '');

/** Does the database compare these values exactly as this program does? */
const isExact = (type: ColumnType | undefined, equality: ColumnEquality | undefined): boolean => {
  if (type === 'LONG' || type === 'INTEGER') return true;
  if (type !== 'STRING') return false;
  return equality?.kind === 'UUID' || (equality?.kind === 'EXACT' && isText(equality));
};

/** The columns by which rows of records are found. */
const lookupColumns = ({ metadata }: SourceTable, drKeyProperties: readonly string[]): readonly string[] => [
  ...new Set([
    ...metadata.primaryKeySpecs.map(({ column }) => column),
    ...Object.entries(metadata.dataColumns).flatMap(([column, { source }]) =>
      drKeyProperties.includes(source) ? [column] : [],
    ),
  ]),
];

const typeOf = ({ metadata }: SourceTable, column: string): ColumnType | undefined =>
  metadata.dataColumns[column]?.columnType ??
  metadata.primaryKeySpecs.find((specification) => specification.column === column)?.columnType;

/** Can the rows of several records be found in one statement, and told apart afterwards? */
export const canGather = (
  table: SourceTable,
  drKeyProperties: readonly string[],
  equalities: ReadonlyMap<string, ColumnEquality>,
): boolean =>
  lookupColumns(table, drKeyProperties).every((column) => isExact(typeOf(table, column), equalities.get(column)));

export interface GatherOptions {
  readonly table: SourceTable;
  readonly drKeyProperties: readonly string[];
  readonly equalities: ReadonlyMap<string, ColumnEquality>;
  readonly rows: ManyRows;
  readonly state: Pick<TableState, 'knownRows'>;
}

/**
 * Runs the same work for several events at the same time in one transaction, and makes one statement of those that all of
 * them wait for. Reads come before writes. The work sees one row as it does alone, so the rules for a row stay in one place.
 *
 * Several rows of a statement must be told apart exactly as the database does: see `canGather`. A row that two events find,
 * and an event that changes a key, cause NotTogether.
 *
 * @param work for one event. It must not wait for another event's work
 * @returns the results of the events, in order
 * @throws the failure of a statement, or of an event that has written something: the transaction must be undone
 */
export const gatherStatements = async <Event, Result>(
  { table, drKeyProperties, equalities, rows, state }: GatherOptions,
  events: readonly Event[],
  work: (gathered: Gathered, event: Event) => Promise<Result>,
): Promise<readonly PromiseSettledResult<Result>[]> => {
  const { metadata } = table;
  const keyColumns = metadata.primaryKeySpecs.map(({ column }) => column);
  const identifying = lookupColumns(table, drKeyProperties);
  let active = events.length;
  let failure: { readonly error: unknown } | undefined;
  let known: Requests<readonly string[]> = [];
  let finds: Requests<ColumnValues> = [];
  let inserts: Requests<ColumnValues> = [];
  let updates: Requests<Update> = [];
  let deletes: Requests<RowKey> = [];
  let reads: Requests<Single> = [];
  let touches: Requests<Single> = [];
  /** The event that has found or written a row, by the text of its key. */
  const owners = new Map<string, number>();

  const textIn = (column: string, value: ColumnValue | JsonValue | undefined): string | null => {
    if (value === null || value === undefined) return null;
    const text = columnText(value as ColumnValue);
    return equalities.get(column)?.kind === 'UUID' ? text.toLowerCase() : text;
  };
  const own = (row: SourceRow, event: number): void => {
    const owner = owners.get(row.keyText);
    if (owner !== undefined && owner !== event) throw new NotTogether();
    owners.set(row.keyText, event);
  };
  const isFoundBy = (row: SourceRow, lookup: ColumnValues): boolean =>
    Object.entries(lookup).every(([column, value]) => {
      const source = metadata.dataColumns[column]?.source;
      const text = textIn(column, value);
      // a key keeps the spelling of the database, and a number does not
      const spelled = row.key[keyColumns.indexOf(column)];
      return (
        (spelled !== undefined && textIn(column, spelled) === text) ||
        (source !== undefined && textIn(column, row.record[source]) === text)
      );
    });

  const answerFinds = async (all: typeof finds): Promise<void> => {
    const found = await rows.findAll(all.map(({ input }) => input));
    const answers = new Map<(typeof all)[number], SourceRow[]>();
    // one lookup for each text: the rows are compared with few of them
    const byText = new Map<string, (typeof all)[number][]>();
    for (const request of all) {
      const [column = '', value] = Object.entries(request.input)[0] ?? [];
      const text = `${column} ${textIn(column, value)}`;
      byText.set(text, [...(byText.get(text) ?? []), request]);
    }
    for (const row of found) {
      const texts = identifying.flatMap((column) => {
        const source = metadata.dataColumns[column]?.source;
        const values = [row.key[keyColumns.indexOf(column)], source === undefined ? undefined : row.record[source]];
        return [...new Set(values.map((value) => `${column} ${textIn(column, value)}`))];
      });
      const finders = new Set(
        texts.flatMap((text) => byText.get(text) ?? []).filter(({ input }) => isFoundBy(row, input)),
      );
      if (finders.size !== 1) throw new NotTogether();
      for (const finder of finders) {
        own(row, finder.of);
        answers.set(finder, [...(answers.get(finder) ?? []), row]);
      }
    }
    for (const request of all) request.resolve((answers.get(request) ?? []) as never);
  };
  const answerKnown = async (all: typeof known): Promise<void> => {
    const found = await state.knownRows([...new Set(all.flatMap(({ input }) => input))]);
    for (const { input, resolve } of all)
      resolve(
        new Map(
          input.flatMap((keyText): [string, KnownRow][] => {
            const row = found.get(keyText);
            return row === undefined ? [] : [[keyText, row]];
          }),
        ) as never,
      );
  };
  const answerSingles = async (all: typeof reads): Promise<void> => {
    const sorted = [...all].sort((one, other) => (one.input.keyText < other.input.keyText ? -1 : 1));
    for (const { input, resolve } of sorted) resolve((await input.run()) as never);
  };
  /** Answers requests with the results of one call, which gets them in the order of their keys. */
  const answerMany = async <Input>(
    all: Requests<Input>,
    keyTextOf: (input: Input) => string,
    write: (inputs: readonly Input[]) => Promise<readonly Stored[]>,
  ): Promise<void> => {
    if (all.length === 0) return;
    const sorted = all
      .map((request) => ({ request, keyText: keyTextOf(request.input) }))
      .sort((one, other) => (one.keyText < other.keyText ? -1 : 1));
    const stored = await write(sorted.map(({ request }) => request.input));
    for (const [at, { request }] of sorted.entries()) {
      const one = stored[at] ?? { affected: 0, row: undefined };
      if (one.row !== undefined) own(one.row, request.of);
      request.resolve(one as never);
    }
  };
  const keyOfValues = (values: ColumnValues): string => rowKeyText(keyColumns.map((column) => values[column] ?? null));

  const flush = async (): Promise<void> => {
    if (known.length + finds.length + reads.length > 0) {
      const [ofState, ofTable, single] = [known, finds, reads];
      [known, finds, reads] = [[], [], []];
      await answerKnown(ofState);
      if (ofTable.length > 0) await answerFinds(ofTable);
      await answerSingles(single);
      return;
    }
    const all = { deletes, updates, inserts, touches };
    [deletes, updates, inserts, touches] = [[], [], [], []];
    if (all.updates.some(({ input }) => identifying.some((column) => column in input.values))) throw new NotTogether();
    await answerMany(all.deletes, rowKeyText, (keys) => rows.deleteAll(keys));
    await answerMany(
      all.updates,
      ({ key }) => rowKeyText(key),
      (inputs) => rows.updateAll(inputs),
    );
    await answerMany(all.inserts, keyOfValues, (inputs) => rows.insertAll(inputs));
    await answerSingles(all.touches);
  };
  const waitingRequests = (): Requests<unknown> => [
    ...known,
    ...finds,
    ...reads,
    ...deletes,
    ...updates,
    ...inserts,
    ...touches,
  ];
  const fail = (error: unknown, more: Requests<unknown> = []): void => {
    failure ??= { error };
    const all = [...waitingRequests(), ...more];
    [known, finds, reads, deletes, updates, inserts, touches] = [[], [], [], [], [], [], []];
    for (const { reject } of all) reject(failure.error);
  };
  /** When every event waits, the statements are made. */
  const check = (): void => {
    const present = waitingRequests();
    if (active === 0 || present.length < active) return;
    flush().catch((error: unknown) => fail(error, present));
  };
  const ask = <Input, Answer>(list: () => Requests<Input>, of: number, input: Input): Promise<Answer> =>
    new Promise<Answer>((resolve, reject) => {
      if (failure !== undefined) return reject(failure.error);
      list().push({ of, input, resolve, reject });
      check();
    });

  const gatheredOf = (of: number): Gathered => {
    let hasWritten = false;
    const write = <Input, Answer>(list: () => Requests<Input>, input: Input): Promise<Answer> => {
      hasWritten = true;
      return ask(list, of, input);
    };
    const single = <Answer>(key: RowKey, run: () => Promise<Answer>): Single => ({ keyText: rowKeyText(key), run });
    return {
      hasWritten: () => hasWritten,
      state: { knownRows: (keyTexts) => ask(() => known, of, keyTexts) },
      rows: {
        find: (lookup) => ask(() => finds, of, lookup),
        mapped: (record, columns) => rows.mapped(record, columns),
        isReadable: (lookup) =>
          ask(
            () => reads,
            of,
            single(Object.values(lookup), () => rows.isReadable(lookup)),
          ),
        tryUpdate: (key, values) =>
          ask(
            () => reads,
            of,
            single(key, () => rows.tryUpdate(key, values)),
          ),
        insert: (values) => write(() => inserts, values),
        update: (key, values) => write(() => updates, { key, values }),
        delete: (key) => write(() => deletes, key),
        touch: (key) =>
          write(
            () => touches,
            single(key, () => rows.touch(key)),
          ),
      },
    };
  };

  const results = await Promise.allSettled(
    events.map(async (event, of) => {
      const gathered = gatheredOf(of);
      try {
        return await work(gathered, event);
      } catch (error) {
        if (gathered.hasWritten()) fail(error);
        throw error;
      } finally {
        active -= 1;
        check();
      }
    }),
  );
  if (failure !== undefined) throw failure.error;
  return results;
};
