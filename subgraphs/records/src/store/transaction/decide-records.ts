import type { SqlSession } from '@fds/database';
import type { Answers, RecordSession, Steps } from './record-session.js';
import { lockAndLoad, type Locked, type Locking } from './lock-and-load.js';
import { nothingSaved, saveDecisions, type RecordDecisions, type SavedDecisions } from './save-decisions.js';

/** The locked and the read state, from which the books of a decision are opened. */
export interface LockedState<S extends Steps> extends Locked {
  readonly loaded: Answers<S>;
}

/** The result of a decision. Nothing is saved without `decisions`. */
export interface Decided<Result> {
  readonly result: Result;
  readonly decisions?: Omit<RecordDecisions, 'channels' | 'newUuid'> | undefined;
  /** Statements that have to run before the decisions are saved. Default: none. */
  readonly ahead?: ((sql: SqlSession) => Steps) | undefined;
}

/** A decision on records. The locks, the freshness of the catalog and the saving are the same for all. */
export interface RecordDecision<S extends Steps, Opened, Result> {
  readonly locking: Locking;
  /** Reads that need no answer of each other. */
  readonly load: (sql: SqlSession) => S;
  /** Reads that need the first ones, and opens the books. */
  readonly open: (session: RecordSession, state: LockedState<S>) => Promise<Opened>;
  /** Does no input or output. May change the opened books. A promise: it lets other work of the process run in between. */
  readonly decide: (opened: Opened) => Decided<Result> | Promise<Decided<Result>>;
}

export interface DecidedAndSaved<Result> {
  readonly result: Result;
  readonly saved: SavedDecisions;
}

/**
 * The one way in which records change: lock, load, decide, save, in the transaction of the session.
 *
 * @throws StaleCatalog and StaleVersions when the catalog has changed since it was read, and the database's error
 */
export const decideRecords = async <S extends Steps, Opened, Result>(
  session: RecordSession,
  { locking, load, open, decide }: RecordDecision<S, Opened, Result>,
): Promise<DecidedAndSaved<Result>> => {
  const { locked, loaded } = await lockAndLoad(session, locking, load);
  const opened = await open(session, { ...locked, loaded });
  const decided = decide(opened);
  const { result, decisions, ahead } = decided instanceof Promise ? await decided : decided;
  const { channels } = locked;
  if (decisions === undefined) return { result, saved: nothingSaved([...channels.values()]) };
  if (ahead !== undefined) await session.run(ahead(session.sql));
  const saved = await saveDecisions(session, { ...decisions, channels, newUuid: locking.newUuid });
  return { result, saved };
};
