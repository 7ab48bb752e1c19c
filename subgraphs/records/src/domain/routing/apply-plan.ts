import type { RecordState } from '../records/record-book.js';
import type { RoutingContext } from './routing-context.js';
import type { RoutingPlan } from './routing-plan.js';

/**
 * Applies a plan: queues its messages in the outbox, and notes in the book the content that each destination will have.
 * The plan must be of the present book and outbox: its messages have the next numbers.
 */
export const applyPlan = (
  { book, outbox }: Pick<RoutingContext, 'book' | 'outbox'>,
  record: RecordState,
  { deliveries, oversized, nextContents }: RoutingPlan,
): void => {
  for (const message of oversized) outbox.leaveOut(message);
  for (const delivery of deliveries) outbox.add(delivery);
  let isExpected = false;
  for (const { adaptorUuid, known, forgetsRemoved } of nextContents) {
    const link = record.links.get(adaptorUuid);
    if (link !== undefined) {
      book.link(record, { ...link, known });
      continue;
    }
    if (forgetsRemoved) book.expect(record, adaptorUuid, known);
    else record.expected.set(adaptorUuid, known);
    isExpected = true;
  }
  if (isExpected) book.touch(record);
};
