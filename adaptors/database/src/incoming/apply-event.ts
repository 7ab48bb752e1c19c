import { type Applied, ApplyError, type IncomingEvent } from '@fds/adaptor-sdk';
import { reportsChanges } from '../configuration/table-metadata.js';
import { rowKeyText } from '../source/row-key.js';
import type { SourceTable } from '../source/source-table.js';
import type { TableState } from '../state/adaptor-state.js';
import type { WritableTable } from '../source/writable-table.js';
import { type KnownRow, wasReported } from '../source/row-base.js';
import { drKeyOf, type FindContext, findRow, hasOtherKey, hasReadableRow, lookupBy } from './find-row.js';
import { withHolder } from './name-holder.js';
import { isConflict, isDuplicate, isUndone, toApplyError } from './source-failure.js';
import { type Effect, noteRounded, storeEffects } from './store-effect.js';
import { noEffect, writeRecord, type WriteContext } from './write-record.js';
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

/** Writes an event to its row, in a transaction. */
export const writeEvent = async (
  context: Pick<ApplyContext, 'table'> & FindContext,
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

/** @throws ApplyError when the table takes no events */
export const requireIncoming = ({ metadata }: SourceTable): void => {
  if (!metadata.scanOptions.enableIncoming)
    throw new ApplyError('scanOptions.enableIncoming is false', { kind: 'CONFIGURATION' });
};

export const appliedOf = ({ kept, notApplied }: Effect): Applied => ({
  ...(kept.length > 0 ? { kept } : {}),
  ...(notApplied.length > 0 ? { notApplied } : {}),
});

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
  requireIncoming(table);
  const known = (await state.byRecords([event.drUuid])).get(event.drUuid);
  let end: (() => void) | undefined;
  let removeNote = (): Promise<void> => Promise.resolve();
  try {
    // read once, and before the transaction, because SQLite has one connection
    const equalities = await table.equalities();
    const attempt = (): Promise<Effect> =>
      table.transaction(async (rows) => {
        const effect = await writeEvent({ ...context, equalities }, rows, event, known);
        end?.();
        end = written.begin([effect.keyBefore, effect.row?.keyText].flatMap((keyText) => keyText ?? []));
        removeNote = await noteRounded(context, [effect]);
        return effect;
      });
    const effect = await withConflicts(table, attempt).catch(async (error: unknown) => {
      if (isUndone(error)) await removeNote();
      throw error;
    });
    await storeEffects(context, [{ event, known, effect }]);
    return appliedOf(effect);
  } catch (error) {
    const refusal = toApplyError(error, table.metadata);
    // the refusal stays what it is where the holder cannot be looked up
    throw isDuplicate(error) ? await withHolder(context, event, refusal).catch(() => refusal) : refusal;
  } finally {
    end?.();
  }
};
