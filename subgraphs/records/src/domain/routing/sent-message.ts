import type { JsonObject } from '@fds/json';
import type { SentContent } from './sent-content.js';

/** A message that was sent to an adaptor, as it is known for good. */
export interface SentMessage {
  readonly adaptorUuid: string;
  readonly transactionUuid: string;
  /** Its number in the outbox. */
  readonly sequence: number;
  readonly recordUuid: string;
  /** The DR Key of its event. */
  readonly drKey: JsonObject;
  readonly action: 'POST' | 'PUT' | 'DELETE';
  /** Undefined: not known. */
  readonly content: SentContent | undefined;
}
