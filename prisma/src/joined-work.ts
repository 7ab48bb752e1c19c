import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { exactTypes } from './exact-types.js';
import { SerialClient } from './serial-client.js';

type Send = (statement: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

/** One transaction that many pieces of work share, in every session of the database. */
export interface JoinedWork {
  /** Runs work in a savepoint. Unless `keeps` accepts the result, the changes of the work are undone; also when it throws. */
  attempt<T>(work: () => Promise<T>, keeps: (result: T) => boolean): Promise<T>;
  /** Runs work that does not see the changes of the transaction. */
  outside<T>(work: () => Promise<T>): Promise<T>;
}

/** The result of joined work, and whether the transaction is committed. */
export interface JoinedResult<T> {
  readonly value: T;
  readonly commits: boolean;
}

/** The transaction of joined work, with the changes to log when it commits. */
export class JoinedScope implements JoinedWork {
  private readonly entries: object[] = [];
  private saveEntries: ((client: pg.ClientBase, entries: readonly never[]) => Promise<void>) | undefined;
  private savepoints = 0;
  private turn: Promise<void> = Promise.resolve();

  constructor(readonly client: pg.Client) {}

  /** Keeps entries until the commit. An entry whose savepoint is undone is forgotten. */
  keep<Entry extends object>(
    entries: readonly Entry[],
    save: (client: pg.ClientBase, entries: readonly Entry[]) => Promise<void>,
  ): void {
    this.entries.push(...entries);
    this.saveEntries = save;
  }

  /** Saves the entries that were kept. */
  async save(): Promise<void> {
    if (this.entries.length > 0) await this.saveEntries?.(this.client, this.entries as never[]);
  }

  async attempt<T>(work: () => Promise<T>, keeps: (result: T) => boolean): Promise<T> {
    const logged = this.entries.length;
    const savepoint = await this.begin();
    let isKept = false;
    try {
      const result = await work();
      isKept = keeps(result);
      return result;
    } finally {
      if (!isKept) this.entries.length = logged;
      await this.end(savepoint, isKept);
    }
  }

  outside<T>(work: () => Promise<T>): Promise<T> {
    return scopes.exit(work);
  }

  private async begin(): Promise<string> {
    const savepoint = `joined_${(this.savepoints += 1)}`;
    await this.client.query(`SAVEPOINT ${savepoint}`);
    return savepoint;
  }

  private async end(savepoint: string, isKept: boolean): Promise<void> {
    await this.client.query(`${isKept ? '' : `ROLLBACK TO SAVEPOINT ${savepoint}; `}RELEASE SAVEPOINT ${savepoint}`);
  }

  /**
   * A connection of this transaction for work that begins and ends its own transaction, which becomes a savepoint.
   * Such transactions follow each other.
   */
  async connect(): Promise<pg.PoolClient> {
    const before = this.turn;
    let leave = (): void => undefined;
    this.turn = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    let savepoint: string | undefined;
    const logged = this.entries.length;
    const empty = { rows: [], rowCount: 0, fields: [], command: '', oid: 0 } as unknown as pg.QueryResult;
    const query: Send = async (statement, values) => {
      const text = typeof statement === 'string' ? statement : statement.text;
      if (text === 'BEGIN') {
        savepoint = await this.begin();
        return empty;
      }
      if (text === 'COMMIT' || text === 'ROLLBACK') {
        if (savepoint === undefined) return empty;
        const ended = savepoint;
        savepoint = undefined;
        if (text === 'ROLLBACK') this.entries.length = logged;
        await this.end(ended, text === 'COMMIT');
        return empty;
      }
      return this.client.query(statement as pg.QueryConfig, values);
    };
    const connection = { query, release: () => leave(), on: () => connection, removeListener: () => connection };
    return connection as unknown as pg.PoolClient;
  }
}

const scopes = new AsyncLocalStorage<JoinedScope>();

/** The joined transaction that this work is part of; undefined elsewhere. */
export const joinedScope = (): JoinedScope | undefined => scopes.getStore();

/** Maximum time to wait for a row that another transaction holds. */
const lockTimeout = '10s';

/** Runs work whose sessions all use one transaction, on a separate connection. */
export const runJoined = async <T>(
  connection: pg.ClientConfig,
  work: (joined: JoinedWork) => Promise<JoinedResult<T>>,
): Promise<T> => {
  const client = new SerialClient({ ...connection, types: exactTypes });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = '${lockTimeout}'`);
    const scope = new JoinedScope(client);
    const { value, commits } = await scopes.run(scope, () => work(scope));
    if (commits) await scope.save();
    await client.query(commits ? 'COMMIT' : 'ROLLBACK');
    return value;
  } finally {
    // an open transaction ends with its connection
    await client.end().catch(() => undefined);
  }
};
