/**
 * The position of an adaptor in its messages when it made an event. Numbers of the outbox: the adaptor had certainly applied
 * the messages up to `applied`, and had certainly not begun those after `begun`.
 */
export interface Seen {
  readonly applied: number;
  readonly begun: number;
}

/** The event was made after all messages were applied. */
export const everythingSeen: Seen = { applied: Number.POSITIVE_INFINITY, begun: Number.POSITIVE_INFINITY };

/** The position is not known. */
export const nothingSeen: Seen = { applied: 0, begun: Number.POSITIVE_INFINITY };
