/**
 * A process whose row is not renewed for so long is dead, and the leases that it does not renew end. Milliseconds, by the
 * clock of the database: the clocks of the machines may differ.
 */
export const deadAfterMs = 3_000;

/**
 * Condition of SQL: is the process of the row alive?
 *
 * @param row alias of a row of `server_process`
 */
export const isLiving = (row: string): string =>
  `${row}.heartbeat >= clock_timestamp() - interval '${deadAfterMs} milliseconds'`;
