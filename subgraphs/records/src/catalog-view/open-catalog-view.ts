import { loadHead, openChangeLogReader, outsideJoinedWork, type Database } from '@fds/database';
import {
  compileChains,
  compileOperationalChain,
  type GovernanceRules,
  type OperationalRules,
} from '@fds/governance-rules';
import type { Closable, Log } from '@fds/service';
import { advanceTaken, isTaken, withTaken, type TakenChanges } from '../domain/taken-changes.js';
import { loadCatalogChanges, type CatalogChange } from './store/load-catalog-changes.js';
import { CatalogListeners, type UnblockingChange } from './catalog-listeners.js';
import { createCatalogLookups, type CatalogLookups } from './catalog-lookups.js';
import { CatalogTables } from './catalog-tables.js';
import { loadStale, type LoadedCatalog } from './load-stale.js';
import { findStale, nothingStale, relevantTypes, type StaleParts } from './stale-parts.js';

/** The catalog as records sees it, kept fresh by the change log. */
export interface CatalogView extends CatalogLookups, Closable {
  readonly catalog: CatalogTables;
  readonly governance: GovernanceRules;
  readonly operational: OperationalRules;
  /** The changes that catalog and chains contain: decisions are compared with them. */
  readonly taken: TakenChanges;
  /** Takes changes that the change log has not delivered yet. Those that are taken already cost nothing. */
  take(changes: readonly CatalogChange[]): Promise<void>;
  /** Takes every change that is committed at the call. */
  catchUp(): Promise<void>;
  /** Called after versions, adaptors or chains may have changed. Must not throw. */
  onChanged(listener: () => void): void;
  /** Called after something has changed by which events that wait may go on. Must not throw. */
  onUnblocked(listener: (unblocked: UnblockingChange) => void): void;
  /** Called after the change log told of adaptors that were deleted or deactivated. Must not throw. */
  onAdaptorDeleted(listener: () => void): void;
}

export interface CatalogViewOptions {
  readonly database: Database;
  readonly log: Log;
}

interface CatalogViewState extends LoadedCatalog {
  taken: TakenChanges;
  /** Loads run one after another, so that an older answer never overwrites a newer one. */
  last: Promise<void>;
}

/**
 * Loads the catalog and follows its changes.
 *
 * @throws the database's error when it cannot be loaded
 */
export const openCatalogView = async ({ database, log }: CatalogViewOptions): Promise<CatalogView> => {
  // Transactions ask the view while they hold a connection of the pool. Loads have connections that no transaction holds:
  // otherwise as many transactions as the pool has connections would wait for each other for ever.
  const { pool, reads } = database;
  const listeners = new CatalogListeners();
  const state: CatalogViewState = {
    catalog: new CatalogTables(),
    governance: compileChains([]),
    operational: compileOperationalChain([]),
    // before the reader exists: a change that arrives twice is taken once
    taken: { upTo: await loadHead({ pool }), beyond: new Set() },
    last: Promise.resolve(),
  };

  const inTurn = (load: () => Promise<void>): Promise<void> => {
    const turn = state.last.then(() => outsideJoinedWork(load));
    state.last = turn.catch(() => undefined);
    return turn;
  };

  const reload = async (parts: Partial<StaleParts>): Promise<void> => {
    await inTurn(async () => listeners.unblocked(await loadStale(reads, state, { ...nothingStale(), ...parts })));
    listeners.changed();
  };

  const take = async (changes: readonly CatalogChange[]): Promise<void> => {
    let news: readonly CatalogChange[] = [];
    await inTurn(async () => {
      news = changes.filter(({ position }) => !isTaken(state.taken, position));
      if (news.length === 0) return;
      listeners.unblocked(await loadStale(reads, state, findStale(news)));
      const positions = news.map(({ position }) => position);
      state.taken = withTaken(state.taken, positions);
    });
    if (news.length === 0) return;
    listeners.changed();
    listeners.deleted(news);
  };

  const reader = await openChangeLogReader({
    database,
    name: 'records',
    from: 'now',
    resourceTypes: relevantTypes,
    log,
    onChanges: async (changes) => {
      await take(changes);
      state.taken = advanceTaken(state.taken, changes.at(-1)?.position ?? state.taken.upTo);
    },
  });
  try {
    // once the reader exists: it delivers every change from here on
    await reload({ allAdaptors: true, allVersions: true, acls: true, operational: true });
  } catch (error) {
    await reader.close();
    throw error;
  }

  return {
    ...createCatalogLookups(reads, state.catalog, reload),
    catalog: state.catalog,
    get governance() {
      return state.governance;
    },
    get operational() {
      return state.operational;
    },
    get taken() {
      return state.taken;
    },
    take,
    catchUp: async () => take(await loadCatalogChanges(reads, state.taken.upTo)),
    onChanged: (listener) => listeners.onChanged(listener),
    onUnblocked: (listener) => listeners.onUnblocked(listener),
    onAdaptorDeleted: (listener) => listeners.onAdaptorDeleted(listener),
    close: async () => {
      await reader.close();
      await state.last;
    },
  };
};
