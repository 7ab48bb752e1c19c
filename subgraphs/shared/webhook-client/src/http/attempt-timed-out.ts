/** The time of an attempt is over. */
export class AttemptTimedOut extends Error {
  override readonly name = 'AttemptTimedOut';
}
