import { describeFaults, parseMessage, type MessageType } from '@fds/adaptor-protocol';
import type { UpMessage } from '@fds/adaptor-bus';
import type { Log } from '@fds/service';
import type { Relay } from '../relay/open-relay.js';
import type { Handshakes } from './create-handshakes.js';

/** Takes the messages that report the positions of adaptors. */
export interface PositionTakers {
  /** Takes a message of `up/hello`. */
  takeHello(message: UpMessage): Promise<void>;
  /** Takes a message of `up/ack`. */
  takeAck(message: UpMessage): Promise<void>;
  /** Takes `fds.waiting.v1` of `up/ops`. Other messages of that topic, and malformed ones, are not for the relay. */
  takeWaiting(message: UpMessage): Promise<void>;
}

const waitingType = 'fds.waiting.v1' satisfies MessageType<'up/ops'>;

/** Most messages of `up/ops` are of other types, and large ones among them are not to be read twice. */
const mentionsWaiting = ({ payload }: UpMessage): boolean =>
  Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).includes(waitingType);

export interface PositionTakersDependencies {
  readonly relay: Pick<Relay, 'acknowledged' | 'waiting'>;
  readonly log: Log;
  readonly handshakes: Pick<Handshakes, 'receiveHello' | 'acknowledged'>;
  /** Settles with the last event that was taken from the adaptor; undefined: none was taken. */
  readonly lastEvent: (adaptorUuid: string) => Promise<unknown> | undefined;
  /** Settles when the reports that have arrived from the adaptor are handled; undefined: none is in progress. */
  readonly lastReports: (adaptorUuid: string) => Promise<unknown> | undefined;
}

export const createPositionTakers = (dependencies: PositionTakersDependencies): PositionTakers => {
  const { relay, log, handshakes, lastEvent, lastReports } = dependencies;
  /**
   * Settles when what has arrived from the adaptor is handled: a message that was refused must not be shown as applied, and its
   * content is needed for the report. Undefined: nothing is in progress.
   */
  const earlierOf = (adaptorUuid: string): Promise<unknown> | undefined => {
    const [events, reports] = [lastEvent(adaptorUuid), lastReports(adaptorUuid)];
    return reports === undefined ? events : Promise.allSettled([events, reports]);
  };
  return {
    takeHello: async ({ adaptorUuid, payload }) => {
      const parsed = parseMessage('up/hello', payload);
      if (!parsed.ok) {
        log.warn({ adaptorUuid, faults: describeFaults(parsed.faults) }, 'an adaptor sent a malformed hello');
        return;
      }
      const { id, correlationid, data } = parsed.value;
      // its position acknowledges messages too; a commit that fails leaves its events with the adaptor
      await earlierOf(adaptorUuid)?.catch(() => undefined);
      await handshakes.receiveHello(adaptorUuid, { id, correlationid, hello: data });
    },
    takeAck: async ({ adaptorUuid, payload }) => {
      const parsed = parseMessage('up/ack', payload);
      if (!parsed.ok) {
        log.warn({ adaptorUuid, faults: describeFaults(parsed.faults) }, 'an adaptor sent a malformed acknowledgement');
        return;
      }
      handshakes.acknowledged(adaptorUuid, parsed.value.data);
      relay.acknowledged(adaptorUuid, parsed.value.data, earlierOf(adaptorUuid));
    },
    takeWaiting: async (message) => {
      if (!mentionsWaiting(message)) return;
      const parsed = parseMessage('up/ops', message.payload);
      if (!parsed.ok || parsed.value.type !== waitingType) return;
      const { adaptorUuid } = message;
      const ignored = relay.waiting(adaptorUuid, parsed.value.data) ?? 0;
      if (ignored === 0) return;
      log.warn({ adaptorUuid, ignored }, 'an adaptor reports messages as waiting that it was not sent since its hello');
    },
  };
};
