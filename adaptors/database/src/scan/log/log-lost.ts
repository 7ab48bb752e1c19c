/**
 * Changes are no longer in the log, or cannot be read; the message has the reason. A comparison of the whole table
 * replaces them.
 */
export class LogLost extends Error {
  override readonly name = 'LogLost';
}
