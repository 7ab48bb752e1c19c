/** A value that both databases take and give. */
export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The embedded or an external database. Statements are written once for both. */
export interface SqlSession {
  /** @param sql with `?` for each parameter, and no other question mark */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Gives the rows that a statement changed. */
  change(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
  /** SQL of a top-level property of a JSON text, for an order; the name is the parameter. */
  readonly propertyOf: (json: string) => string;
  close(): Promise<void>;
}
