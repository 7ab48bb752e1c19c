/** A value that both databases accept and return. */
export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The embedded or an external database. The same statements run on both. */
export interface SqlSession {
  /** @param sql with `?` for each parameter, and no other question mark */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Runs a statement and returns the number of changed rows. */
  change(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
  /**
   * SQL expression for a top-level property of a JSON text, to sort by. The name of the property is a parameter of the
   * statement.
   */
  readonly propertyOf: (json: string) => string;
  close(): Promise<void>;
}
