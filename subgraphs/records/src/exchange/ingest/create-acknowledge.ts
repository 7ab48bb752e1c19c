import { buildMessage, serverSource } from '@fds/adaptor-protocol';
import type { ServerBus } from '@fds/adaptor-bus';
import type { Log } from '@fds/service';

/** Tells an adaptor that its events up to a number are committed. A null epoch has no events. */
export type Acknowledge = (adaptorUuid: string, epoch: string | null, upto: number) => void;

export interface AcknowledgeDependencies {
  readonly bus: ServerBus;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

export const createAcknowledge =
  ({ bus, log, now, newUuid }: AcknowledgeDependencies): Acknowledge =>
  (adaptorUuid, epoch, upto) => {
    if (epoch === null) return;
    const envelope = { id: newUuid(), source: serverSource, time: now().toISOString() };
    const data = { epoch, upto };
    bus
      .publish(adaptorUuid, 'ack', buildMessage('down/ack', { ...envelope, type: 'fds.ack.v1', data }))
      .catch((error: unknown) => log.debug({ err: error, adaptorUuid }, 'the bus did not take an acknowledgement'));
  };
