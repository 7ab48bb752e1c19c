import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';
import { type Applied, ApplyError, areEqualJson, type IncomingEvent } from '@fds/adaptor-sdk';
import { reportsChanges } from '../configuration/table-metadata.js';
import { rowKeyText } from '../source/row-key.js';
import type { SourceTable } from '../source/source-table.js';
import { unreported, type TableState } from '../state/adaptor-state.js';
import type { WritableTable } from '../source/writable-table.js';
import {
  baseOf,
  isOnlyNoted,
  type KnownRow,
  knownRowOf,
  newRowWithNote,
  type RowBase,
  wasReported,
  withNote,
} from '../source/row-base.js';
import { drKeyOf, type FindContext, findRow, hasOtherKey, hasReadableRow, lookupBy } from './find-row.js';
import { isConflict, isDuplicate, toApplyError } from './source-failure.js';
import { noEffect, writeRecord, type WriteContext, type Written } from './write-record.js';
import type { WrittenRows } from '../state/written-rows.js';

/** Dependencies of applying an event. */
export interface ApplyContext {
  readonly table: SourceTable;
  readonly state: TableState;
  readonly written: Pick<WrittenRows, 'begin' | 'locked'>;
  /** The DR Key properties of the domain version, in order. */
  readonly drKeyProperties: readonly string[];
}

const reportsOf = ({ metadata }: SourceTable): WriteContext['reports'] => {
  const { scanMethod, scanOptions } = metadata;
  const { enableProcessor, enableDeletionScan } = scanOptions;
  const changes = reportsChanges(metadata);
  return { changes, deletions: enableProcessor && (enableDeletionScan || (changes && scanMethod === 'LOG')) };
};

/** The row of an event before it, and the effect of the event. */
interface Effect extends Written {
  readonly keyBefore: string | undefined;
}

/** Was a row reported that the server never named? Only if its key consists of properties of the DR Key. */
const isKnownKey = async (context: FindContext, event: IncomingEvent): Promise<boolean> => {
  const { table, state } = context;
  const lookup = lookupBy(table, drKeyOf(context, event));
  const key = table.metadata.primaryKeySpecs.map(({ column }) => lookup?.[column]);
  if (key.includes(undefined)) return false;
  const keyText = rowKeyText(key.map((value) => value ?? null));
  const known = (await state.knownRows([keyText])).get(keyText);
  return known !== undefined && wasReported(known);
};

const write = async (
  context: ApplyContext & FindContext,
  rows: WritableTable,
  event: IncomingEvent,
  known: KnownRow | undefined,
): Promise<Effect> => {
  const { table } = context;
  const found = await findRow(context, rows, event, known);
  const isDeletedHere = found === undefined && (known !== undefined || (await isKnownKey(context, event)));
  // without a row, an event counts as done only if the table has no such row
  const needsNoRow = isDeletedHere || (found === undefined && event.action === 'DELETE');
  if (needsNoRow && (await hasReadableRow(context, rows, event, known)))
    throw noEffect(table, 'the row exists, but the adaptor may not lock it');
  const effect = await writeRecord({ table, reports: reportsOf(table) }, rows, event, found, isDeletedHere);
  if (effect.row !== undefined && hasOtherKey(context, event, effect.row, found?.row))
    throw noEffect(table, 'the row has another key than the record');
  return { ...effect, keyBefore: found?.row.keyText };
};

const without = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([property]) => !names.includes(property)));

const baseAfter = (before: RowBase, { base, isNew, unsent, outdated }: Written): RowBase => {
  if (isNew) return base;
  const stored = { ...without(before.stored, outdated), ...base.stored };
  return { sent: { ...without(before.sent, unsent), ...base.sent }, stored };
};

/**
 * Stores the effect. The state may have changed since the event has read it, because a scan has reported the row: then
 * only the properties that the event has written are replaced.
 */
const remember = async (
  { state, written }: ApplyContext,
  { drUuid, action }: IncomingEvent,
  known: KnownRow | undefined,
  effect: Effect,
): Promise<void> => {
  const { row, keyBefore } = effect;
  // the record was deleted here, and the deletion is reported next
  if (row === undefined && action !== 'DELETE') return;
  const former = [keyBefore, known?.keyText].flatMap((keyText) =>
    keyText === undefined || keyText === row?.keyText ? [] : [keyText],
  );
  const keyTexts = [...new Set([...former, ...(row === undefined ? [] : [row.keyText])])];
  await written.locked(keyTexts, async () => {
    if (row !== undefined) {
      const now = (await state.knownRows([row.keyText])).get(row.keyText);
      const base = baseAfter(baseOf(now), effect);
      await state.rememberRows([knownRowOf({ keyText: row.keyText, drUuid }, base, Object.keys(row.record))]);
    }
    // a key that no longer belongs to the record must not be reported as deleted
    if (former.length > 0) await state.forget(former);
  });
};

/** The values of an event that a row holds in another form. */
const roundedIn = ({ base: { sent, stored } }: Written): RowBase | undefined => {
  const rounded = Object.keys(sent).filter(
    (property) => Object.hasOwn(stored, property) && !areEqualJson(sent[property], stored[property]),
  );
  const pick = (values: JsonObject): JsonObject =>
    Object.fromEntries(rounded.map((property): [string, JsonValue | undefined] => [property, values[property]]));
  return rounded.length === 0 ? undefined : { sent: pick(sent), stored: pick(stored) };
};

/**
 * Notes rounded values before the commit, so that a scan after a crash does not report them as an edit.
 *
 * @returns removes the note of a row that does not exist, because the commit failed
 */
const noteRounded = async ({ state, written }: ApplyContext, effect: Effect): Promise<() => Promise<void>> => {
  const { row, keyBefore, isNew } = effect;
  const rounded = row === undefined || !(isNew || row.keyText === keyBefore) ? undefined : roundedIn(effect);
  if (row === undefined || rounded === undefined) return () => Promise.resolve();
  const { keyText } = row;
  const present = async (): Promise<KnownRow | undefined> => (await state.knownRows([keyText])).get(keyText);
  await written.locked([keyText], async () => {
    const known = await present();
    if (known === undefined) {
      if (isNew) await state.rememberRows([newRowWithNote(keyText, rounded)]);
    }
    // a row whose first event may not be durable stays announced
    else if (known.digest !== unreported) await state.rememberRows([withNote(known, rounded)]);
  });
  return () =>
    written.locked([keyText], async () => {
      if (isOnlyNoted(await present())) await state.forget([keyText]);
    });
};

/** Attempts after conflicts with other transactions, before the event waits as it does for a source that is away. */
const maxConflicts = 20;

/** The last further attempt for each table. */
const turns = new WeakMap<SourceTable, Promise<unknown>>();

/**
 * Runs the work again after a conflict between transactions. In InnoDB with REPEATABLE READ, two transactions that lock the
 * gap of an absent key wait for each other's insert, for example. Further attempts for a table take turns, so that they do not meet each other
 * again. After a duplicate the row of the other transaction is found.
 */
const withConflicts = async <Result>(table: SourceTable, work: () => Promise<Result>): Promise<Result> => {
  let [duplicates, conflicts] = [0, 0];
  for (;;) {
    const turn = conflicts === 0 ? work() : (turns.get(table) ?? Promise.resolve()).then(work);
    if (conflicts > 0)
      turns.set(
        table,
        turn.catch(() => undefined),
      );
    try {
      return await turn;
    } catch (error) {
      if (isDuplicate(error) && duplicates === 0) duplicates += 1;
      else if (isConflict(error) && conflicts < maxConflicts) conflicts += 1;
      else throw error;
    }
  }
};

/**
 * Applies an event to the table. Finds the row by the stored record, otherwise by its DR Key, and inserts, updates or
 * deletes it. Applying an event twice has the effect of once.
 *
 * An update writes only the new properties of the event whose value in the row was reported. The others are returned as
 * kept, and the scan reports the row. The effect is stored in the state, so that the scan does not report it back.
 *
 * @throws ApplyError
 */
export const applyEvent = async (context: ApplyContext, event: IncomingEvent): Promise<Applied> => {
  const { table, state, written } = context;
  if (!table.metadata.scanOptions.enableIncoming) {
    throw new ApplyError('scanOptions.enableIncoming is false', { kind: 'CONFIGURATION' });
  }
  const known = await state.byRecord(event.drUuid);
  let end: (() => void) | undefined;
  let removeNote = (): Promise<void> => Promise.resolve();
  try {
    // read once, and before the transaction, because SQLite has one connection
    const equalities = await table.equalities();
    const attempt = (): Promise<Effect> =>
      table.transaction(async (rows) => {
        const effect = await write({ ...context, equalities }, rows, event, known);
        end?.();
        end = written.begin([effect.keyBefore, effect.row?.keyText].flatMap((keyText) => keyText ?? []));
        removeNote = await noteRounded(context, effect);
        return effect;
      });
    const effect = await withConflicts(table, attempt).catch(async (error: unknown) => {
      await removeNote();
      throw error;
    });
    await remember(context, event, known, effect);
    const { kept, notApplied } = effect;
    return { ...(kept.length > 0 ? { kept } : {}), ...(notApplied.length > 0 ? { notApplied } : {}) };
  } catch (error) {
    throw toApplyError(error, table.metadata);
  } finally {
    end?.();
  }
};
