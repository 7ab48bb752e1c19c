import type { OutboxMessage } from '../../store/channels/delivery.js';
import type { ReceiverFailure } from '../domain/webhooks/receiver-state.js';

/** Messages that are under way at the same time, each of another record. */
const maxUnderWay = 8;

const byRecord = (messages: readonly OutboxMessage[]): OutboxMessage[][] => {
  const groups = new Map<string, OutboxMessage[]>();
  for (const message of messages) {
    const group = groups.get(message.recordUuid);
    if (group === undefined) groups.set(message.recordUuid, [message]);
    else group.push(message);
  }
  return [...groups.values()];
};

/**
 * Delivers messages of several records at once, and those of one record one after another. No message begins after a
 * failure, or while `goesOn` says no.
 *
 * @param deliver delivers a message; its failure ends the delivery
 * @returns the first failure, when everything that began has ended
 * @throws an error of `deliver`, when everything that began has ended
 */
export const deliverByRecord = async (
  messages: readonly OutboxMessage[],
  goesOn: () => boolean,
  deliver: (message: OutboxMessage) => Promise<ReceiverFailure | undefined>,
): Promise<ReceiverFailure | undefined> => {
  const groups = byRecord(messages);
  let failure: ReceiverFailure | undefined;
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      for (const message of group) {
        if (failure !== undefined || !goesOn()) return;
        const failed = await deliver(message);
        failure ??= failed;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(maxUnderWay, groups.length) }, work));
  const broken = results.find((result) => result.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return failure;
};
