/** The set-up cannot continue. The message names the cause and the next step. */
export class SetupFailure extends Error {
  override readonly name = 'SetupFailure';
}
