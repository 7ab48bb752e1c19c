import { logChange, logChangeList, type Change, type Database, type PrismaTransaction } from '@fds/database';
import type { Principal } from '@fds/auth';

/** The tools of every action that writes. */
export interface StoreTools {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
}

/** Logs a change by the caller in its transaction. */
export const logAs = (tx: PrismaTransaction, principal: Principal, change: Omit<Change, 'actorUuid'>): Promise<void> =>
  logChange(tx, { ...change, actorUuid: principal.uuid });

/** Logs changes of one kind by the caller in their transaction, in the given order. */
export const logManyAs = (
  tx: PrismaTransaction,
  principal: Principal,
  changes: readonly Omit<Change, 'actorUuid'>[],
): Promise<void> => {
  const actorUuid = principal.uuid;
  return logChangeList(
    tx,
    changes.map((change) => ({ ...change, ...(actorUuid === undefined ? {} : { actorUuid }) })),
  );
};
