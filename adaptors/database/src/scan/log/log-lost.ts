/** Changes of the log are gone or cannot be read; the message says why. A comparison of the whole table takes their place. */
export class LogLost extends Error {
  override readonly name = 'LogLost';
}
