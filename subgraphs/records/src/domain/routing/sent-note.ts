/** A note about a message that an adaptor was sent for a record. It is stored with the known content of the adaptor. */
export interface SentNote {
  /** Number of the message in the outbox. */
  readonly sequence: number;
  /** CONFIRMATION: the adaptor's own content, sent back because messages that it had not seen might overwrite it. */
  readonly kind: 'CHANGE' | 'CONFIRMATION' | 'DELETION';
  /** The properties that the message changes, with the hashes that were known before; an empty hash means no value. */
  readonly before: Readonly<Record<string, string>>;
  /** For a CONFIRMATION: the first message that can give the adaptor the values of `before` again. */
  readonly from?: number;
  /**
   * For a CONFIRMATION: properties of `before` that no message changed which the adaptor had not seen. It has its own value of
   * them before this message too. Default: none.
   */
  readonly undisturbed?: readonly string[];
  /** The note stands for all messages from this number to its own; `before` then has the hashes from before the first one. */
  readonly mergedFrom?: number;
}
