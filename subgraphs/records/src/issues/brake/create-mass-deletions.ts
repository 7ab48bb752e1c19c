import type { Assembler } from '@fds/assembly-contract';
import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView, DomainVersionView } from '../../domain/catalog.js';
import type { ParkedReleaser } from '../parked/create-parked-releaser.js';
import {
  endSendingAgain,
  forgetMassDeletion,
  loadBraked,
  loadDecided,
  loadOtherHolders,
  removeBraked,
  type BrakedDeletion,
  type DecidedMassDeletion,
} from '../../store/issues/mass-deletions.js';
import { askHolders } from './ask-holders.js';
import { returnRecords } from './return-records.js';

/** Carries out decisions on deletions that are parked with issues MASS_DELETION. */
export interface MassDeletions extends Closable {
  /** Looks for decisions now, and from now on. */
  check(): void;
  /** Resolves when the decision on the issue is carried out, or after the time. */
  settle(issueUuid: string, waitMs: number): Promise<void>;
}

export interface MassDeletionsOptions {
  readonly database: Database;
  readonly assembler: Assembler;
  readonly view: CatalogView;
  readonly parked: Pick<ParkedReleaser, 'release'>;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
  /** How often a process looks for decisions of processes that have ended, in milliseconds. Default 5000. */
  readonly checkMs?: number;
}

/** Parked deletions that are in memory at one time. */
const pageSize = 100;

const countOf = (count: number, noun: string): string => (count === 1 ? `1 ${noun}` : `${count} ${noun}s`);

/**
 * Several processes may work on the same decision: a parked deletion is settled once. After a restart the
 * deletions that are left are settled. Closing finishes the page at hand.
 */
export const createMassDeletions = (options: MassDeletionsOptions): MassDeletions => {
  const { database, assembler, view, parked, log, now, newUuid, checkMs = 5_000 } = options;
  const closing = new AbortController();
  const waiters = new Map<string, (() => void)[]>();
  const released = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const isDone = (issueUuid: string): void => {
    released.delete(issueUuid);
    for (const resolve of waiters.get(issueUuid) ?? []) resolve();
    waiters.delete(issueUuid);
  };

  /** The events go on one after the other, as those behind any issue do. */
  const letPass = async ({ issueUuid, adaptorUuid, domainVersionUuid }: DecidedMassDeletion): Promise<void> => {
    const adaptor = await view.findAdaptor(adaptorUuid);
    const version = await view.findVersionByUuid(domainVersionUuid);
    if (adaptor === undefined || version === undefined) await removeBraked(database.pool, issueUuid);
    if (await forgetMassDeletion(database.pool, issueUuid)) {
      isDone(issueUuid);
      return;
    }
    // a deactivated adaptor sends nothing: its events go on when it is active again
    if (adaptor?.active !== true) isDone(issueUuid);
    else if (!released.has(issueUuid)) {
      released.add(issueUuid);
      parked.release({ kind: 'BRAKE', issueUuid });
    }
  };

  /** @returns the number of records for which no adaptor answered */
  const sendPage = async (
    { issueUuid }: DecidedMassDeletion,
    adaptor: AdaptorView,
    version: DomainVersionView,
    page: readonly BrakedDeletion[],
  ): Promise<number> => {
    const recordUuids = page.flatMap(({ recordUuid }) => recordUuid ?? []);
    const held =
      version.domainType === 'FEDERATED'
        ? await askHolders(
            { assembler, view },
            {
              version,
              adaptor,
              recordUuids,
              holderUuids: await loadOtherHolders(database.pool, adaptor.uuid, recordUuids),
            },
          )
        : undefined;
    return returnRecords({ database, view, now, newUuid }, { issueUuid, adaptor, version, page, held });
  };

  const sendAll = async (decided: DecidedMassDeletion): Promise<void> => {
    const { issueUuid, adaptorUuid, domainVersionUuid } = decided;
    const adaptor = await view.findAdaptor(adaptorUuid);
    const version = await view.findVersionByUuid(domainVersionUuid);
    let unanswered = 0;
    if (adaptor === undefined || version === undefined) await removeBraked(database.pool, issueUuid);
    else {
      let after: string | undefined;
      while (!closing.signal.aborted) {
        const page = await loadBraked(database.pool, issueUuid, { after, limit: pageSize });
        if (page.length === 0) break;
        unanswered += await sendPage(decided, adaptor, version, page);
        after = page.at(-1)?.uuid;
      }
    }
    if (closing.signal.aborted) return;
    const note =
      unanswered === 0
        ? undefined
        : `No other adaptor answered for ${countOf(unanswered, 'record')}: the deletions of these records still wait.`;
    await database.transaction((client) => endSendingAgain(client, decided, note));
    isDone(issueUuid);
  };

  const work = async (): Promise<void> => {
    clearTimeout(timer);
    for (const decided of await loadDecided(database.pool)) {
      if (closing.signal.aborted) return;
      // one decision that cannot be carried out does not stop the others
      await (decided.decision === 'PASS' ? letPass(decided) : sendAll(decided)).catch((error: unknown) =>
        log.warn(
          { err: error, issueUuid: decided.issueUuid },
          'a decision on parked deletions could not be carried out',
        ),
      );
    }
    if (!closing.signal.aborted) {
      timer = setTimeout(working.wake, waiters.size > 0 ? 50 : released.size > 0 ? 1_000 : checkMs).unref();
    }
  };
  const working = createWakeable(work, (error) => {
    log.warn({ err: error }, 'decisions on parked deletions could not be read');
    if (!closing.signal.aborted) timer = setTimeout(working.wake, checkMs).unref();
  });

  return {
    check: () => {
      if (!closing.signal.aborted) working.wake();
    },
    settle: async (issueUuid, waitMs) => {
      let limit: NodeJS.Timeout | undefined;
      const done = new Promise<void>((resolve) => {
        waiters.set(issueUuid, [...(waiters.get(issueUuid) ?? []), resolve]);
        limit = setTimeout(resolve, waitMs);
      });
      working.wake();
      await done;
      clearTimeout(limit);
    },
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      for (const issueUuid of waiters.keys()) isDone(issueUuid);
      await working.settle();
    },
  };
};
