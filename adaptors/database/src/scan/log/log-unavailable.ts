/** The log of a table cannot be read; the message names the missing precondition. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}
