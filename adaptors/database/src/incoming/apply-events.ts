import { type Applied, ApplyError, type IncomingEvent } from '@fds/adaptor-sdk';
import type { ManyRows } from '../source/many-rows.js';
import type { KnownRow } from '../source/row-base.js';
import { type ApplyContext, appliedOf, applyEvent, requireIncoming, writeEvent } from './apply-event.js';
import type { Worked } from './create-lanes.js';
import { canGather, gatherStatements } from './gather-statements.js';
import { isLocked, isUndone, toApplyError } from './source-failure.js';
import { type AppliedEvent, noteRounded, storeEffects } from './store-effect.js';

type Result = PromiseSettledResult<Applied>;

/** Events whose statements cannot be gathered take turns in the transaction for so long; the others get another one. */
const longestMs = 100;

/** Waiting events of a batch after which the others wait without an attempt: a table is locked, not a row. */
const maxWaiting = 2;

type EqualitiesOf = Awaited<ReturnType<ApplyContext['table']['equalities']>>;

interface Batch {
  readonly context: ApplyContext;
  readonly equalities: EqualitiesOf;
  readonly known: ReadonlyMap<string, KnownRow>;
}

/** Writes the events one after the other, those that come before the time is over. */
const writeInTurn = async (
  { context, equalities, known }: Batch,
  rows: ManyRows,
  events: readonly IncomingEvent[],
): Promise<readonly PromiseSettledResult<AppliedEvent>[]> => {
  const startedAtMs = performance.now();
  const done: PromiseSettledResult<AppliedEvent>[] = [];
  for (const event of events) {
    if (done.length > 0 && performance.now() - startedAtMs > longestMs) break;
    const row = known.get(event.drUuid);
    const effect = await writeEvent({ ...context, equalities }, rows, event, row);
    done.push({ status: 'fulfilled', value: { event, known: row, effect } });
  }
  return done;
};

const writeTogether = (
  { context, equalities, known }: Batch,
  rows: ManyRows,
  events: readonly IncomingEvent[],
): Promise<readonly PromiseSettledResult<AppliedEvent>[]> => {
  const { table, state, drKeyProperties } = context;
  return gatherStatements({ table, drKeyProperties, equalities, rows, state }, events, async (gathered, event) => {
    const row = known.get(event.drUuid);
    const given = { table, drKeyProperties, equalities, state: gathered.state };
    return { event, known: row, effect: await writeEvent(given, gathered.rows, event, row) };
  });
};

const isApplied = (result: PromiseSettledResult<AppliedEvent>): result is PromiseFulfilledResult<AppliedEvent> =>
  result.status === 'fulfilled';

/**
 * Applies events in one transaction. Stores their effects after the commit.
 *
 * @returns the results of the first events, at least of one: the others are not applied
 * @throws when the transaction was undone
 */
const applyInOneTransaction = async (
  together: NonNullable<ApplyContext['table']['together']>,
  batch: Batch,
  events: readonly IncomingEvent[],
): Promise<readonly Result[]> => {
  const { context, equalities } = batch;
  const { table, written, drKeyProperties } = context;
  const write = canGather(table, drKeyProperties, equalities) ? writeTogether : writeInTurn;
  let end: (() => void) | undefined;
  let removeNotes = (): Promise<void> => Promise.resolve();
  try {
    const results = await together(async (rows) => {
      const all = await write(batch, rows, events);
      const effects = all.filter(isApplied).map(({ value }) => value.effect);
      end = written.begin(
        effects.flatMap(({ keyBefore, row }) => [keyBefore, row?.keyText].flatMap((keyText) => keyText ?? [])),
      );
      removeNotes = await noteRounded(context, effects);
      return all;
    }).catch(async (error: unknown) => {
      if (isUndone(error)) await removeNotes();
      throw error;
    });
    await storeEffects(
      context,
      results.filter(isApplied).map(({ value }) => value),
    );
    return results.map((result): Result =>
      result.status === 'fulfilled'
        ? { status: 'fulfilled', value: appliedOf(result.value.effect) }
        : { status: 'rejected', reason: toApplyError(result.reason, table.metadata) },
    );
  } finally {
    end?.();
  }
};

/**
 * Applies events of different message groups to the table, in as few transactions as possible. If a transaction fails, each
 * half of its events gets one, and so on: an event that the database refuses fails alone, by the rules of `applyEvent`. After a
 * lock, each event gets its own at once. If the source is away, all events fail with its reason.
 *
 * @returns a result for each event, in order. A failure is an ApplyError. `stopped`: the source is away, or the table is locked
 */
export const applyEvents = async (
  context: ApplyContext,
  events: readonly IncomingEvent[],
): Promise<Worked<Applied>> => {
  const { table, state } = context;
  const results = new Map<IncomingEvent, Result>();
  const reject = (some: readonly IncomingEvent[], reason: unknown): void => {
    for (const event of some) results.set(event, { status: 'rejected', reason: toApplyError(reason, table.metadata) });
  };
  let waiting = 0;
  let stopped: ApplyError | undefined;
  /** The rest of the batch waits for the same reason. */
  const stop = (reason: ApplyError): void => {
    stopped ??= reason;
    reject(
      events.filter((event) => !results.has(event)),
      reason,
    );
  };
  const applyOne = async (event: IncomingEvent): Promise<void> => {
    const [result] = await Promise.allSettled([applyEvent(context, event)]);
    results.set(event, result);
    const error: unknown = result.status === 'rejected' ? result.reason : undefined;
    if (!(error instanceof ApplyError) || error.retry !== 'UNTIL_IT_WORKS') return;
    waiting += 1;
    if (waiting >= maxWaiting) stop(error);
  };
  const applySome = async (batch: Batch, given: readonly IncomingEvent[]): Promise<void> => {
    const some = given.filter((event) => !results.has(event));
    const [first] = some;
    if (first === undefined) return;
    if (some.length === 1 || table.together === undefined) {
      for (const event of some) if (!results.has(event)) await applyOne(event);
      return;
    }
    try {
      const done = await applyInOneTransaction(table.together, batch, some);
      for (const [at, result] of done.entries()) results.set(some[at] ?? first, result);
    } catch (error) {
      const refusal = toApplyError(error, table.metadata);
      // otherwise the failure may be that of one event, and the others are applied without it
      if (!isUndone(error)) return stop(refusal);
      // each half would wait for the lock again
      const size = isLocked(error) ? 1 : Math.ceil(some.length / 2);
      for (let at = 0; at < some.length; at += size) await applySome(batch, some.slice(at, at + size));
      return;
    }
    await applySome(batch, some);
  };
  try {
    requireIncoming(table);
    if (events.length === 1 || table.together === undefined) for (const event of events) await applyOne(event);
    else {
      const known = await state.byRecords(events.map(({ drUuid }) => drUuid));
      await applySome({ context, equalities: await table.equalities(), known }, events);
    }
  } catch (error) {
    const refusal = toApplyError(error, table.metadata);
    if (refusal.retry === 'UNTIL_IT_WORKS') stop(refusal);
    else
      reject(
        events.filter((event) => !results.has(event)),
        refusal,
      );
  }
  const missing: Result = { status: 'rejected', reason: new ApplyError('the event was not tried') };
  return { results: events.map((event) => results.get(event) ?? missing), stopped };
};
