import {
  listChangeLines,
  listChanges,
  listLogPages,
  loadLogEnds,
  loadSettledHead,
  type LogPage,
  type Database,
  type LoggedChange,
  type Queryable,
  type StatementCaller,
} from '@fds/database';
import { AppError } from '@fds/errors';
import type { ChangeQuery } from '../../domain/change-log/read-change-query.js';
import { requireZone } from '../require-zone.js';

/** A page of the change log. */
interface ChangeLogAnswer {
  readonly changes: readonly LoggedChange[];
  /** Position after the last entry; null when the log has no entry yet. */
  readonly cursor: bigint | null;
  /** Are there entries after the cursor? */
  readonly more: boolean;
}

/** A page of the change log as lines of JSON. */
interface ChangeLinesAnswer extends Omit<ChangeLogAnswer, 'changes'> {
  readonly lines: readonly string[];
}

/** Pages of the chain of hashes. */
interface LogProof {
  readonly pages: readonly LogPage[];
  readonly cursor: bigint | null;
  readonly more: boolean;
}

export interface ChangeLogActions {
  /**
   * It uses the share of the caller in the search connections.
   *
   * @param hiddenTypes types of entries that are left out
   * @throws AppError NOT_FOUND for the zone, UNKNOWN_CURSOR when entries after the cursor have been removed,
   * UNAVAILABLE while writers block readers
   */
  list(query: ChangeQuery, hiddenTypes: readonly string[], caller: StatementCaller): Promise<ChangeLogAnswer>;
  /** The same, as lines. */
  lines(query: ChangeQuery, hiddenTypes: readonly string[], caller: StatementCaller): Promise<ChangeLinesAnswer>;
  /** Compares pages of the chain with the log. It uses the share of the caller in the search connections. */
  prove(query: { readonly after: bigint; readonly limit: number }, caller: StatementCaller): Promise<LogProof>;
}

/** Most bytes of `data` in an answer. */
const maxBytes = 4 * 2 ** 20;

const cursorOf = (
  { after, order }: ChangeQuery,
  last: bigint | undefined,
  settled: bigint | undefined,
): bigint | undefined => {
  if (order === 'NEWEST_FIRST' || last !== undefined) return last ?? after;
  // no matching entry exists up to this position, so the next query can start after it
  return after !== undefined && settled !== undefined && settled < after ? after : settled;
};

/**
 * A reader that follows the log gets an error when entries after its cursor have been removed. Cursor 0 begins with the
 * first entry. Called after the page is read: if an entry was removed before that, the removal is recorded by then.
 */
const requireCursor = async (session: Queryable, after: bigint): Promise<void> => {
  if (after === 0n) return;
  const { removedUpTo } = await loadLogEnds(session);
  if (after >= removedUpTo) return;
  const detail = `the cursor ${after} is too old: entries up to ${removedUpTo} have been removed`;
  throw new AppError('UNKNOWN_CURSOR', detail, { errors: [{ pointer: 'after', code: 'UNKNOWN_CURSOR', detail }] });
};

type Filter = Parameters<typeof listChanges>[1];
type Page = Parameters<typeof listChanges>[2];

export const createChangeLogActions = ({ database }: { readonly database: Database }): ChangeLogActions => {
  /** Reads a page by the given statement, and finds the cursor behind it. */
  const read = async <Found extends { readonly last: bigint | undefined }>(
    query: ChangeQuery,
    hiddenTypes: readonly string[],
    session: Queryable,
    statement: (filter: Filter, page: Page) => Promise<Found>,
  ): Promise<Found & { readonly cursor: bigint | null }> => {
    const { filter, order, after, size } = query;
    if (filter.zoneUuid !== undefined) await requireZone(database.prisma, filter.zoneUuid);
    // a reader that follows the log must not skip a position at which an entry can still appear
    const upTo = order === 'OLDEST_FIRST' ? await loadSettledHead(session) : undefined;
    const page = { order, after, upTo, limit: size, maxBytes };
    const found = await statement({ ...filter, exceptTypes: hiddenTypes }, page);
    if (order === 'OLDEST_FIRST' && after !== undefined) await requireCursor(session, after);
    return { ...found, cursor: cursorOf(query, found.last, upTo) ?? null };
  };
  return {
    list: async (query, hiddenTypes, caller) => {
      const session = database.searches.sessionOf(caller);
      const { changes, cursor, more } = await read(query, hiddenTypes, session, async (filter, page) => {
        const found = await listChanges(session, filter, page);
        return { ...found, last: found.changes.at(-1)?.position };
      });
      return { changes, cursor, more };
    },
    lines: async (query, hiddenTypes, caller) => {
      const session = database.searches.sessionOf(caller);
      const { lines, cursor, more } = await read(query, hiddenTypes, session, (filter, page) =>
        listChangeLines(session, filter, page),
      );
      return { lines, cursor, more };
    },
    prove: async (query, caller) => {
      const { pages, more } = await listLogPages(database.searches.sessionOf(caller), query);
      return { pages, more, cursor: pages.at(-1)?.page ?? (query.after === 0n ? null : query.after) };
    },
  };
};
