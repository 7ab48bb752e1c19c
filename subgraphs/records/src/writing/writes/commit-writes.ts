import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataAccess } from '@fds/access-rules';
import type { Database } from '@fds/database';
import { inTurns } from '@fds/service';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { EventOutcome } from '../../domain/events/event-outcome.js';
import type { UnblockedEvents } from '../../domain/issues/unblocked-by.js';
import { Outbox } from '../../domain/routing/outbox.js';
import { decideFederatedDeletion } from './domain/decide-federated-deletion.js';
import { decideCreation, decidePatch, decideRemoval, decideReplacement, routeFolded } from './domain/decide-write.js';
import type { RecordWrite, WriteResult } from './domain/record-write.js';
import { createWriteGuard } from './domain/write-guard.js';
import { refused, type WriteContext, type WriteDecision } from './domain/write-context.js';
import type { ReleasedEvents } from '../../store/issues/released-events.js';
import { StaleCatalog } from '../../catalog-view/store/require-fresh-catalog.js';
import { StaleVersions } from '../../catalog-view/store/require-fresh-versions.js';
import { lookupSightOf } from '../../reading/visibility/lookup-sight.js';
import { decideRecords, type Decided } from '../../store/transaction/decide-records.js';
import type { Locked, Locking } from '../../store/transaction/lock-and-load.js';
import { inTurn } from '../../store/transaction/record-session.js';
import { loadTouched, openBooks, type Books, type KeySearch } from './open-books.js';
import { prepareWrites, type PreparedOutcome, type PreparedWrite } from './prepare-writes.js';

export interface WriteDependencies {
  readonly database: Database;
  readonly view: CatalogView;
  readonly now: () => Date;
  readonly newUuid: () => string;
  /** Called after a commit with events that wait and may go on by it. Must not throw. */
  readonly onUnblocked: (unblocked: readonly ReleasedEvents[]) => void;
  /** Called after a commit with the outcomes of the writes. Must not throw. Default: no effect. */
  readonly onDecided?: (outcomes: readonly EventOutcome[]) => void;
}

export interface WriteOptions {
  /** The person who asks. */
  readonly writerUuid: string;
  /** The `X-Request-Id` of the request. */
  readonly requestId?: string | undefined;
  /** The data access rules of the writer. Default: everything. */
  readonly dataAccess?: DataAccess | undefined;
  /** ALL: when one write is refused, none is done; the results then show the outcome that each would have. Default EACH. */
  readonly atomicity?: 'EACH' | 'ALL';
  /** DECIDE writes nothing: the results show the outcome that each would have. Default WRITE. */
  readonly extent?: 'WRITE' | 'DECIDE';
  /** ROUTED keeps no data event of a change that goes to no adaptor. Default ALL. */
  readonly keptEvents?: WriteContext['keptEvents'];
  /** True: writes of one record are one change: it is logged and routed once, as it is after the last of them. Default false. */
  readonly foldsWrites?: boolean;
  /** If a key is taken or a write is refused, the writes are decided again with every key looked up. Default LOOK_UP. */
  readonly keys?: KeySearch | undefined;
}

/** unique_violation, foreign_key_violation, serialization_failure, deadlock_detected: another transaction was first */
const repeatable = new Set(['23505', '23503', '40001', '40P01']);
const maxAttempts = 8;
/** From here, the writes are those of an import. */
const manyWrites = 200;

const isRepeatable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && repeatable.has(error.code);

/** A write was refused without its key being looked up: the record that has the key may change the answer. */
class UnknownHolder extends Error {}

const decide = (context: WriteContext, write: PreparedWrite, { sentDeletions }: Books): WriteDecision => {
  const { version } = write;
  if ('read' in write) {
    const decideWhole = write.kind === 'CREATE' ? decideCreation : decideReplacement;
    return decideWhole(context, version, write.read);
  }
  const record = context.book.byUuid(write.recordUuid);
  if (record === undefined) return refused('NOT_FOUND', 'there is no such data record');
  if (context.guard?.isSeen(version, record) === false) return refused('NOT_FOUND', 'there is no such data record');
  const { changeVersion: current } = record;
  if (write.changeVersion !== undefined && current !== undefined && write.changeVersion !== BigInt(current)) {
    const details = { currentChangeVersion: current };
    return refused('STALE_CHANGE_VERSION', `the record is at changeVersion ${current}`, { details });
  }
  if (write.kind === 'PATCH') return decidePatch(context, version, record, write.patch);
  if (version.domainType === 'SERVICE_DATA_STORE') return decideRemoval(context, version, record);
  if (write.federated === undefined) return refused('INVALID_PARAMETER', 'a federated record is deleted for a zone');
  return decideFederatedDeletion(context, version, record, {
    ...write.federated,
    sent: sentDeletions.get(write.recordUuid) ?? new Map(),
  });
};

interface OpenedWrites extends Locked {
  readonly books: Books;
}

const isRefused = ({ result }: WriteDecision): boolean => result.outcome === 'REFUSED';

/** The locks of writes. A version is checked also where a write was refused for it. */
const lockingOf = (
  { view, newUuid }: WriteDependencies,
  prepared: readonly PreparedOutcome[],
  freshness: 'CHECKED' | 'BELIEVED',
): Locking => ({
  catalog: view.catalog,
  adaptorUuids: [],
  routed: prepared.flatMap((write) => ('refusal' in write ? [] : [write.version])),
  checked: [...new Map(prepared.flatMap(({ version }) => (version ? [[version.uuid, version]] : []))).values()],
  taken: freshness === 'CHECKED' ? view.taken : undefined,
  newUuid,
});

/** Decides on all writes, one after another. */
const decideAll = function* (
  { view, now, newUuid }: WriteDependencies,
  prepared: readonly PreparedOutcome[],
  { catalog, channels, books }: OpenedWrites,
  { writerUuid, requestId, dataAccess, atomicity, extent, keptEvents = 'ALL', foldsWrites = false }: WriteOptions,
): Generator<void, Decided<WriteResult[]>> {
  const { book, references } = books;
  const outbox = new Outbox((uuid) => channels.get(uuid));
  const context: WriteContext = {
    catalog,
    governance: view.governance,
    book,
    outbox,
    references,
    writerUuid,
    requestId,
    nowMs: now().getTime(),
    newUuid,
    keptEvents,
    folded: foldsWrites ? new Map() : undefined,
    guard: dataAccess === undefined ? undefined : createWriteGuard(dataAccess, catalog),
  };
  const decisions: WriteDecision[] = [];
  for (const write of prepared) {
    decisions.push(
      'refusal' in write
        ? { result: { outcome: 'REFUSED', error: write.refusal }, outcome: { deliveries: [] } }
        : decide(context, write, books),
    );
    yield;
  }
  const isVoid = decisions.every(isRefused) || (atomicity === 'ALL' && decisions.some(isRefused));
  const result = decisions.map(({ result: each }) => each);
  if (extent === 'DECIDE' || isVoid) return { result };
  const outcomes = decisions.map(({ outcome }) => outcome);
  for (const outcome of routeFolded(context)) {
    if (outcome !== undefined) outcomes.push(outcome);
    yield;
  }
  return { result, decisions: { outcomes, book, references, outbox } };
};

const requireHolders = (prepared: readonly PreparedOutcome[], results: readonly WriteResult[]): void => {
  const isOpen = results.some(({ outcome }, index) => outcome === 'REFUSED' && !('refusal' in (prepared[index] ?? {})));
  if (isOpen) throw new UnknownHolder();
};

const commitPrepared = async (
  dependencies: WriteDependencies,
  prepared: readonly PreparedOutcome[],
  freshness: 'CHECKED' | 'BELIEVED',
  options: WriteOptions,
): Promise<{ readonly results: WriteResult[]; readonly unblocked: readonly UnblockedEvents[] }> => {
  const writes = prepared.filter((write): write is PreparedWrite => !('refusal' in write));
  let outcomes: readonly EventOutcome[] = [];
  const { result: results, saved } = await dependencies.database.transaction((client) =>
    decideRecords(inTurn(client), {
      locking: lockingOf(dependencies, prepared, freshness),
      load: (sql) => ({ touched: () => loadTouched(sql, writes, options.keys) }),
      open: async ({ sql }, { catalog, channels, loaded }) => {
        // the records of an import were read in one piece
        if (prepared.length > manyWrites) await nextTurn();
        const seeing = lookupSightOf({ dataAccess: options.dataAccess }, catalog);
        return { catalog, channels, books: await openBooks(sql, { catalog, writes, touched: loaded.touched, seeing }) };
      },
      decide: async (opened) => {
        if (prepared.length > manyWrites) await nextTurn();
        const decided = await inTurns(decideAll(dependencies, prepared, opened, options));
        if (options.keys === 'BELIEVE_FREE') requireHolders(prepared, decided.result);
        outcomes = decided.decisions?.outcomes ?? [];
        return decided;
      },
    }),
  );
  const unblocked = await saved.unblocked.answer;
  dependencies.onDecided?.(outcomes.filter(({ event }) => event !== undefined));
  return { results, unblocked };
};

/**
 * The one way in which people's changes reach records: POST, PATCH and DELETE of one, and imports of many. Validates new
 * records against their models, looks up references, keeps keys unique, and sends changes to the capable adaptors through
 * the outbox; all of it in one transaction of a fixed number of statements, whatever the number of writes (one more for each
 * deletion of a federated record). Later writes see what earlier ones did.
 *
 * A write that is refused does not keep the others back, unless `atomicity` is ALL.
 *
 * @param ahead the result of `prepareWrites`, if it ran before
 * @returns the result of each, in the given order
 * @throws the database's error; nothing is kept then
 */
export const commitWrites = async (
  dependencies: WriteDependencies,
  writes: readonly RecordWrite[],
  options: WriteOptions,
  ahead?: readonly PreparedOutcome[],
): Promise<WriteResult[]> => {
  for (let attempt = 1; ; attempt += 1) {
    const isAhead = attempt === 1 && ahead !== undefined;
    const prepared = isAhead ? ahead : await prepareWrites(dependencies.database.pool, dependencies.view, writes);
    try {
      // a catalog that changes again and again is believed at last
      const freshness = attempt < maxAttempts ? 'CHECKED' : 'BELIEVED';
      const keys = attempt === 1 ? options.keys : 'LOOK_UP';
      const { results, unblocked } = await commitPrepared(dependencies, prepared, freshness, { ...options, keys });
      if (unblocked.length > 0) dependencies.onUnblocked(unblocked);
      return results;
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      if (error instanceof StaleCatalog) await dependencies.view.take(error.changes);
      else if (error instanceof StaleVersions) await dependencies.view.reloadVersions(error.versionUuids);
      else if (!(error instanceof UnknownHolder) && !isRepeatable(error)) throw error;
    }
  }
};
