import { isUnavailable, type Database, type SqlClient } from '@fds/database';
import { inTurns } from '@fds/service';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { StaleCatalog } from '../../catalog-view/store/require-fresh-catalog.js';
import { StaleVersions } from '../../catalog-view/store/require-fresh-versions.js';
import type { DecisionContext } from '../../domain/events/decision-context.js';
import type { EventOutcome } from '../../domain/events/event-outcome.js';
import type { UnblockedEvents } from '../../domain/issues/unblocked-by.js';
import { RecordBook } from '../../domain/records/record-book.js';
import { Outbox } from '../../domain/routing/outbox.js';
import { loadRecords } from '../../store/records/load-records.js';
import { openReferenceBook } from '../../store/references/open-reference-book.js';
import { decideRecords, type Decided } from '../../store/transaction/decide-records.js';
import { inTurn } from '../../store/transaction/record-session.js';
import { carryOutEffects, type ActingReconciliation, type ReadRecord } from '../domain/carry-out-effects.js';
import { saveDifferences } from '../store/differences.js';
import type { PageRecord } from '../store/job-pages.js';
import type { Reconciliation } from '../store/reconciliation.js';
import { savePage, type PageResult } from '../store/running-jobs.js';
import type { ComparedPage } from './compare-page.js';
import type { ReconciledSides } from './read-sides.js';

export interface CommitDependencies {
  readonly database: Database;
  readonly view: CatalogView;
  readonly now: () => Date;
  readonly newUuid: () => string;
  readonly instanceUuid: string;
  /** Called after a commit with events that wait and may go on by it. Must not throw. */
  readonly onUnblocked: (unblocked: readonly UnblockedEvents[]) => void;
}

/** A page that was compared, with its place in the job. */
export interface CommittedPage {
  readonly job: Reconciliation;
  readonly sides: ReconciledSides;
  readonly page: readonly PageRecord[];
  readonly compared: ComparedPage;
}

const resultOf = (
  { instanceUuid }: CommitDependencies,
  { job, page, compared }: CommittedPage,
  sent: number,
): PageResult => ({
  uuid: job.uuid,
  instanceUuid,
  from: job.position,
  position: page.at(-1)?.uuid ?? '',
  scanned: page.length,
  counts: { ...compared.counts, sent },
  denied: compared.denied,
  byProperty: compared.byProperty,
  unread: Object.fromEntries(compared.unread),
});

const saveResult = async (
  client: SqlClient,
  dependencies: CommitDependencies,
  committed: CommittedPage,
  sent: number,
): Promise<void> => {
  await savePage(client, resultOf(dependencies, committed, sent));
  await saveDifferences(client, committed.job.uuid, committed.compared.differences);
};

/** The effects of a page, one record after another. */
const carryOutAll = function* (
  context: DecisionContext,
  acting: ActingReconciliation,
  effects: readonly ReadRecord[],
  adaptorOf: Parameters<typeof carryOutEffects>[3],
): Generator<void, { outcomes: EventOutcome[]; sent: number }> {
  const outcomes: EventOutcome[] = [];
  let sent = 0;
  for (const read of effects) {
    const done = carryOutEffects(context, acting, read, adaptorOf);
    outcomes.push(...done.outcomes);
    sent += done.sent;
    yield;
  }
  return { outcomes, sent };
};

const commitEffects = async (
  client: SqlClient,
  dependencies: CommitDependencies,
  committed: CommittedPage,
): Promise<readonly UnblockedEvents[]> => {
  const { view, now, newUuid } = dependencies;
  const { job, sides, compared } = committed;
  const { version, here, others } = sides;
  const { effects } = compared;
  const isStored = version.domainType === 'SERVICE_DATA_STORE';
  const { saved } = await decideRecords(inTurn(client), {
    locking: {
      catalog: view.catalog,
      adaptorUuids: [here, ...others].map(({ uuid }) => uuid),
      // a change of the store goes to every adaptor
      routed: isStored ? [version] : [],
      checked: [version],
      taken: undefined,
      newUuid,
    },
    load: (sql) => ({
      touched: () =>
        loadRecords(sql, {
          keys: effects.map(({ keyDigest }) => ({ domainVersionUuid: version.uuid, keyDigest })),
          uuids: effects.map(({ recordUuid }) => recordUuid),
        }),
    }),
    open: async ({ sql }, { catalog, channels, loaded }) => {
      const { records: stored, removedLinks } = loaded.touched;
      const book = new RecordBook(stored, undefined, removedLinks);
      const reported = effects.flatMap(({ readings }) => {
        const reading = readings.get(here.uuid);
        return isStored && reading?.kind === 'VALUES' ? [{ version, json: reading.values }] : [];
      });
      const written = stored.flatMap(({ json }) => (json === null ? [] : [{ version, json }]));
      const references = await openReferenceBook(sql, {
        catalog,
        book,
        stored,
        written: [...written, ...reported],
        deletedUuids: [],
      });
      return { catalog, channels, book, references };
    },
    decide: async ({ catalog, channels, book, references }): Promise<Decided<void>> => {
      const outbox = new Outbox((uuid) => channels.get(uuid));
      const { governance, operational } = view;
      const context: DecisionContext = {
        catalog,
        governance,
        operational,
        book,
        outbox,
        references,
        newUuid,
        isBlocked: () => false,
      };
      const acting = { uuid: job.uuid, version, nowMs: now().getTime() };
      const adaptorOf = (uuid: string) => {
        const adaptor = view.catalog.adaptor(uuid);
        return adaptor?.active === true && channels.has(uuid) ? adaptor : undefined;
      };
      const { outcomes, sent } = await inTurns(carryOutAll(context, acting, effects, adaptorOf));
      return {
        result: undefined,
        decisions: { outcomes, book, references, outbox },
        ahead: () => ({ result: () => saveResult(client, dependencies, committed, sent) }),
      };
    },
  });
  return saved.unblocked.answer;
};

/** serialization_failure, deadlock_detected, unique_violation, foreign_key_violation: another transaction was first */
const repeatable = new Set(['40001', '40P01', '23505', '23503']);
const maxAttempts = 5;

const isRepeatable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && repeatable.has(error.code);

/**
 * Saves the result of a page and carries out its effects, in one transaction: after a crash both are there or neither.
 *
 * @throws JobLost, and the database's error; nothing is saved then
 */
export const commitPage = async (dependencies: CommitDependencies, committed: CommittedPage): Promise<void> => {
  const { database, view, onUnblocked } = dependencies;
  if (committed.compared.effects.length === 0) {
    await database.transaction((client) => saveResult(client, dependencies, committed, 0));
    return;
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await view.catchUp();
      const unblocked = await database.transaction((client) => commitEffects(client, dependencies, committed));
      if (unblocked.length > 0) onUnblocked(unblocked);
      return;
    } catch (error) {
      if (attempt === maxAttempts || isUnavailable(error)) throw error;
      if (error instanceof StaleCatalog) await view.take(error.changes);
      else if (error instanceof StaleVersions) await view.reloadVersions(error.versionUuids);
      else if (!isRepeatable(error)) throw error;
    }
  }
};
