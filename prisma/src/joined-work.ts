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
  private readonly effects: (() => Promise<void>)[] = [];
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

  /** Keeps an effect outside of the database until the commit. An effect whose savepoint is undone is forgotten. */
  keepEffect(effect: () => Promise<void>): void {
    this.effects.push(effect);
  }

  /** Runs the effects that were kept, in their order. */
  async runEffects(): Promise<void> {
    // what they do is committed, so the failure of one must not hide the others
    for (const effect of this.effects) await effect().catch(() => undefined);
  }

  /** Saves the entries that were kept. */
  async save(): Promise<void> {
    if (this.entries.length > 0) await this.saveEntries?.(this.client, this.entries as never[]);
  }

  async attempt<T>(work: () => Promise<T>, keeps: (result: T) => boolean): Promise<T> {
    const kept = this.countKept();
    const savepoint = await this.begin();
    let isKept = false;
    try {
      const result = await work();
      isKept = keeps(result);
      return result;
    } finally {
      if (!isKept) this.forgetAfter(kept);
      await this.end(savepoint, isKept);
    }
  }

  outside<T>(work: () => Promise<T>): Promise<T> {
    return outsideJoinedWork(work);
  }

  private countKept(): { readonly entries: number; readonly effects: number } {
    return { entries: this.entries.length, effects: this.effects.length };
  }

  private forgetAfter({ entries, effects }: { readonly entries: number; readonly effects: number }): void {
    this.entries.length = entries;
    this.effects.length = effects;
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
    const kept = this.countKept();
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
        if (text === 'ROLLBACK') this.forgetAfter(kept);
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

/** Runs work that fills memory which callers share. It must not see changes of joined work, which may be rolled back. */
export const outsideJoinedWork = <T>(work: () => Promise<T>): Promise<T> => scopes.exit(work);

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
    if (commits) await scope.runEffects();
    return value;
  } finally {
    // an open transaction ends with its connection
    await client.end().catch(() => undefined);
  }
};
