/** The log of a table cannot be read. The message names the missing requirement. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}
