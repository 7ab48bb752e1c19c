/** The parameters of a statement, collected as it is written. */
export interface SqlParameters {
  readonly values: readonly unknown[];
  /** @returns its place in the statement: `$1` and so on */
  add(value: unknown): string;
}

export const createSqlParameters = (): SqlParameters => {
  const values: unknown[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
};
