import { isJsonObject, parseJson } from '@fds/json';
import type { EventOutcome } from '../domain/events/event-outcome.js';
import type { SentMessage } from '../domain/routing/sent-message.js';

/** The messages of an outcome as the database keeps them for good. */
export const toSentMessages = ({ deliveries, event }: EventOutcome): readonly SentMessage[] =>
  deliveries.map(({ message, ...delivery }) => {
    const data = parseJson(message);
    const transactionUuid = isJsonObject(data) ? data['transactionUuid'] : undefined;
    if (typeof transactionUuid !== 'string') throw new TypeError('a message without its transaction');
    return { ...delivery, transactionUuid, drKey: event?.drKey ?? {} };
  });
