import { logChanges, type Change, type Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createRefusalBudgets, type RefusalBudgetsOptions } from './refusal-budgets.js';
import type { Refusal } from './refusal.js';

/**
 * Writes refused accesses to the change log. The first refusal of a kind is written within a second. Its repetitions
 * are counted. Their number follows as one entry at the end of the minute. Refusals beyond the budget of their actor
 * are counted in the same way, see `RefusalBudgets`.
 */
export interface RefusalAudit extends Closable {
  /** Never throws and never waits. */
  record(refusal: Refusal): void;
}

export interface RefusalAuditOptions extends RefusalBudgetsOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  /** Time between two writes. Default a second. */
  readonly flushMs?: number;
}

const refusedAccessType = 'RefusedAccess';
const windowMs = 60_000;
/** Entries that wait while the database does not answer. Further entries are dropped and logged. */
const maxPending = 10_000;
const zoneOfPath = /^\/zones\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/;

const toChange = ({ actorUuid, resource, ...data }: Refusal, count: number): Change => {
  const zoneUuid = zoneOfPath.exec(resource)?.[1];
  return {
    action: 'POST',
    resourceType: refusedAccessType,
    resource,
    ...(zoneUuid === undefined ? {} : { zoneUuid }),
    ...(actorUuid === undefined ? {} : { actorUuid }),
    data: { ...data, count },
  };
};

export const openRefusalAudit = (options: RefusalAuditOptions): RefusalAudit => {
  const { database, log, now, flushMs = 1_000 } = options;
  const budgets = createRefusalBudgets(options);
  let windowEndsMs = 0;
  let pending: Change[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;

  const add = (refusal: Refusal, count: number): void => {
    if (pending.length < maxPending) pending.push(toChange(refusal, count));
    else dropped += 1;
  };
  const endWindow = (): void => {
    for (const { refusal, count } of budgets.end()) add(refusal, count);
  };
  const write = async (changes: readonly Change[]): Promise<void> => {
    try {
      await logChanges(database.pool, changes);
    } catch (error) {
      log.warn({ err: error, entries: changes.length }, 'refused accesses could not be written to the change log');
    }
  };
  const flush = (): void => {
    if (now().getTime() >= windowEndsMs) endWindow();
    if (pending.length === 0 || writing !== undefined) return;
    if (dropped > 0) log.warn({ entries: dropped }, 'refused accesses were dropped while the database did not answer');
    dropped = 0;
    const changes = pending;
    pending = [];
    writing = write(changes).finally(() => (writing = undefined));
  };
  const timer = setInterval(flush, flushMs);
  timer.unref();

  return {
    record: (refusal) => {
      if (budgets.isEmpty) windowEndsMs = now().getTime() + windowMs;
      const first = budgets.take(refusal);
      if (first !== undefined) add(first, 1);
    },
    close: async () => {
      clearInterval(timer);
      windowEndsMs = 0;
      await writing;
      flush();
      await writing;
    },
  };
};
