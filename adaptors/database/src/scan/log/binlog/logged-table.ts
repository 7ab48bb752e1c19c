/** A table as the binary log names it. */
export interface LoggedTable {
  readonly schema: string;
  readonly name: string;
}
