import type { SqlClient, SqlSession } from '@fds/database';

/** Statements by name. They are sent in the order of the members. */
export type Steps = Readonly<Record<string, () => Promise<unknown>>>;

/** The answers of steps, by their names. */
export type Answers<S extends Steps> = { readonly [Name in keyof S]: Awaited<ReturnType<S[Name]>> };

/** Answers that may be under way. Wrapped, because `await` would wait for a bare promise. */
interface PendingAnswers<S extends Steps> {
  /** Never left unhandled: a failure also fails the transaction. */
  readonly answers: Promise<Answers<S>>;
}

/** A transaction in which records are decided on and saved. */
export interface RecordSession {
  readonly sql: SqlSession;
  /** Sends the steps and waits for their answers. */
  run<S extends Steps>(steps: S): Promise<Answers<S>>;
  /**
   * Sends the steps, and on a pipelined connection waits for no answer. A step has to send all its statements before it first
   * waits.
   *
   * @throws the error of a step that could not be sent
   */
  send<S extends Steps>(steps: S): Promise<PendingAnswers<S>>;
}

const named = <S extends Steps>(steps: S, answers: readonly unknown[]): Answers<S> =>
  Object.fromEntries(Object.keys(steps).map((name, place) => [name, answers[place]])) as Answers<S>;

/** Resolves when everything has run that waits for nothing outside of this process. */
const settleLocally = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** A session of `pipelinedTransaction`: statements do not wait for the answers of those before them. */
export const pipelined = (sql: SqlSession): RecordSession => {
  const run: RecordSession['run'] = async (steps) =>
    named(steps, await Promise.all(Object.values(steps).map((step) => step())));
  return {
    sql,
    run,
    send: async (steps) => {
      let failure: { readonly error: unknown } | undefined;
      const answers = run(steps);
      answers.catch((error: unknown) => (failure ??= { error }));
      // a step that fails before its statement is sent has to fail the transaction before the commit is sent
      await settleLocally();
      if (failure !== undefined) throw failure.error;
      return { answers };
    },
  };
};

/** A session of `transaction`: each step waits for the answer of the step before it. */
export const inTurn = (sql: SqlClient): RecordSession => {
  const run = async <S extends Steps>(steps: S): Promise<Answers<S>> => {
    const answers: unknown[] = [];
    for (const step of Object.values(steps)) answers.push(await step());
    return named(steps, answers);
  };
  return { sql, run, send: async (steps) => ({ answers: Promise.resolve(await run(steps)) }) };
};
