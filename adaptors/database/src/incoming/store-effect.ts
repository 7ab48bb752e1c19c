import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';
import { areEqualJson, type IncomingEvent } from '@fds/adaptor-sdk';
import {
  baseOf,
  isOnlyNoted,
  type KnownRow,
  knownRowOf,
  newRowWithNote,
  type RowBase,
  withNote,
} from '../source/row-base.js';
import { unreported, type TableState } from '../state/adaptor-state.js';
import type { WrittenRows } from '../state/written-rows.js';
import type { Written } from './write-record.js';

/** The row of an event before it, and the effect of the event. */
export interface Effect extends Written {
  readonly keyBefore: string | undefined;
}

/** An event with its effect, and the row that the state had for its record before. */
export interface AppliedEvent {
  readonly event: IncomingEvent;
  readonly known: KnownRow | undefined;
  readonly effect: Effect;
}

interface StoreContext {
  readonly state: TableState;
  readonly written: Pick<WrittenRows, 'locked'>;
}

const without = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([property]) => !names.includes(property)));

const baseAfter = (before: RowBase, { base, isNew, unsent, outdated }: Written): RowBase => {
  if (isNew) return base;
  const stored = { ...without(before.stored, outdated), ...base.stored };
  return { sent: { ...without(before.sent, unsent), ...base.sent }, stored };
};

/** Keys that no longer belong to the record: they must not be reported as deleted. */
const formerKeys = ({ known, effect: { row, keyBefore } }: AppliedEvent): readonly string[] =>
  [keyBefore, known?.keyText].flatMap((keyText) =>
    keyText === undefined || keyText === row?.keyText ? [] : [keyText],
  );

/**
 * Stores the effects. The state may have changed since the events have read it, because a scan has reported a row: then only
 * the properties that the event has written are replaced.
 */
export const storeEffects = async ({ state, written }: StoreContext, all: readonly AppliedEvent[]): Promise<void> => {
  // a record that was deleted here stays known: its deletion is reported next
  const stored = all.filter(({ event, effect }) => effect.row !== undefined || event.action === 'DELETE');
  const rows = stored.flatMap(({ effect: { row } }) => (row === undefined ? [] : [row.keyText]));
  const present = new Set(rows);
  const former = stored.flatMap(formerKeys).filter((keyText) => !present.has(keyText));
  const keyTexts = [...new Set([...rows, ...former])];
  if (keyTexts.length === 0) return;
  await written.locked(keyTexts, async () => {
    const now = rows.length === 0 ? new Map<string, KnownRow>() : await state.knownRows(rows);
    const next = stored.flatMap(({ event, effect }) => {
      const { row } = effect;
      if (row === undefined) return [];
      const base = baseAfter(baseOf(now.get(row.keyText)), effect);
      return [knownRowOf({ keyText: row.keyText, drUuid: event.drUuid }, base, Object.keys(row.record))];
    });
    if (next.length > 0) await state.rememberRows(next);
    if (former.length > 0) await state.forget([...new Set(former)]);
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

const noteOf = (
  known: KnownRow | undefined,
  keyText: string,
  isNew: boolean,
  rounded: RowBase,
): KnownRow | undefined => {
  if (known === undefined) return isNew ? newRowWithNote(keyText, rounded) : undefined;
  // a row whose first event may not be durable stays announced
  return known.digest === unreported ? undefined : withNote(known, rounded);
};

/**
 * Notes rounded values before the commit, so that a scan after a crash does not report them as an edit.
 *
 * @returns removes the notes of rows that do not exist, because the commit failed
 */
export const noteRounded = async (
  { state, written }: StoreContext,
  effects: readonly Effect[],
): Promise<() => Promise<void>> => {
  const notes = effects.flatMap((effect) => {
    const { row, keyBefore, isNew } = effect;
    const rounded = row === undefined || !(isNew || row.keyText === keyBefore) ? undefined : roundedIn(effect);
    return row === undefined || rounded === undefined ? [] : [{ keyText: row.keyText, isNew, rounded }];
  });
  const keyTexts = notes.map(({ keyText }) => keyText);
  if (keyTexts.length === 0) return () => Promise.resolve();
  await written.locked(keyTexts, async () => {
    const present = await state.knownRows(keyTexts);
    const rows = notes.flatMap(
      ({ keyText, isNew, rounded }) => noteOf(present.get(keyText), keyText, isNew, rounded) ?? [],
    );
    if (rows.length > 0) await state.rememberRows(rows);
  });
  return () =>
    written.locked(keyTexts, async () => {
      const present = await state.knownRows(keyTexts);
      const unused = keyTexts.filter((keyText) => isOnlyNoted(present.get(keyText)));
      if (unused.length > 0) await state.forget(unused);
    });
};
