import Database from 'libsql';

interface Statement {
  run(...values: unknown[]): unknown;
}
type Exec = (this: object, sql: string) => unknown;
type Prepare = (this: object, sql: string) => Statement;

/** Calls `pass` for each transaction of the adaptor's journal that contains the statement, at its COMMIT. */
export const watchJournal = (
  { containing, when }: { readonly containing: string; readonly when: 'BEFORE' | 'AFTER' },
  pass: () => void,
): void => {
  const touched = new WeakSet();
  const prototype = Database.prototype as unknown as { exec: Exec; prepare: Prepare };
  const { exec, prepare } = prototype;
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (!sql.startsWith(containing)) return statement;
    const run = statement.run.bind(statement);
    statement.run = (...values) => {
      touched.add(this);
      return run(...values);
    };
    return statement;
  };
  prototype.exec = function (sql) {
    const ends = sql === 'COMMIT' && touched.delete(this);
    if (ends && when === 'BEFORE') pass();
    const done = exec.call(this, sql);
    if (ends && when === 'AFTER') pass();
    return done;
  };
};
