import { batchFrameBytes } from '../build-batch.js';
import { sentBatch, windowBytes, windowSize } from '../limits.js';
import { bytesOnTheWay, endOfWindow, type Sender } from './sender.js';

/** An event that waits to be sent. */
export interface WaitingEvent {
  readonly sequence: number;
  /** Size of the event's JSON text. */
  readonly bytes: number;
}

/**
 * Divides waiting events into the messages that may be sent now, as far as the window has room. A message is one event,
 * or several events with consecutive sequences, up to the limits that the receiver offered.
 *
 * @param events waiting events in order; the first one follows the last sent event
 */
export const nextMessages = <E extends WaitingEvent>(
  sender: Sender,
  events: readonly E[],
): readonly (readonly E[])[] => {
  const { maxEvents, maxBytes } = sender.batch ?? { maxEvents: 1, maxBytes: 0 };
  const mostEvents = Math.min(maxEvents, sentBatch.maxEvents);
  const mostBytes = Math.min(maxBytes, sentBatch.maxBytes) - batchFrameBytes;
  const messages: E[][] = [];
  const lastSequence = endOfWindow(sender);
  let onTheWay = bytesOnTheWay(sender);
  /** Bytes of the last message; each event counts one byte for a comma. */
  let bytes = 0;
  for (const event of events) {
    if (event.sequence > lastSequence) break;
    if (onTheWay > 0 && onTheWay + event.bytes > windowBytes) break;
    const current = messages.at(-1);
    const previous = current?.at(-1)?.sequence;
    if (
      current !== undefined &&
      previous === event.sequence - 1 &&
      current.length < mostEvents &&
      bytes + event.bytes + 1 <= mostBytes
    ) {
      current.push(event);
      bytes += event.bytes + 1;
    } else {
      if (sender.onTheWay.length + messages.length >= windowSize) break;
      messages.push([event]);
      bytes = event.bytes + 1;
    }
    onTheWay += event.bytes;
  }
  return messages;
};
