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

/** The messages by which an adaptor was sent the events of a transaction. */
export type FindSent = (adaptorUuid: string, transactionUuid: string) => readonly SentMessage[];

/** Reads each message once. A batch may name as many origins as it has events. */
export const indexSent = (messages: readonly SentMessage[]): FindSent => {
  if (messages.length === 0) return () => [];
  const byOrigin = new Map<string, SentMessage[]>();
  for (const message of messages) {
    const origin = `${message.adaptorUuid}:${message.transactionUuid}`;
    const known = byOrigin.get(origin);
    if (known === undefined) byOrigin.set(origin, [message]);
    else known.push(message);
  }
  return (adaptorUuid, transactionUuid) => byOrigin.get(`${adaptorUuid}:${transactionUuid}`) ?? [];
};
