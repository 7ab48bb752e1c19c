import { carriedEvents, checkEvent, parseMessage, parseTopic, type CarriedEvent } from '@fds/adaptor-protocol';
import { readPublication, type Frame } from './mqtt-frames.js';
import { readCountedEvent, type CountedEvent } from './counted-event.js';

/** The acknowledgements of the service to a source, as seen on the wire. */
export interface AcknowledgedBook {
  /** Reads a packet on its way from or to the source. */
  see(frame: Frame): void;
  /** Acknowledged events. An event that was sent again under another number is repeated. */
  events(): Iterable<Pick<CountedEvent, 'id' | 'n'>>;
  /** Number of acknowledged events. */
  count(): number;
}

interface Epoch {
  readonly sent: Pick<CountedEvent, 'id' | 'n'>[];
  acknowledged: number;
}

/** Number of events among the first numbers. Link reports use numbers too, so there are gaps. */
const countUpto = (sent: Epoch['sent'], acknowledged: number): number =>
  sent.slice(0, acknowledged).reduce((count) => count + 1, 0);

/** @param onSent called for each event on its way to the service, including repeated ones */
export const createAcknowledgedBook = (onSent: (event: CountedEvent) => void): AcknowledgedBook => {
  const epochs = new Map<string, Epoch>();
  const epochOf = (uuid: string): Epoch => {
    const epoch = epochs.get(uuid) ?? { sent: [], acknowledged: 0 };
    epochs.set(uuid, epoch);
    return epoch;
  };
  const acknowledge = (uuid: string, upto: number): void => {
    const epoch = epochOf(uuid);
    epoch.acknowledged = Math.max(epoch.acknowledged, upto);
  };

  const seeEvent = ({ envelope }: CarriedEvent): void => {
    const message = envelope.ok ? checkEvent('up/data', envelope.value) : envelope;
    if (!message.ok || message.value.type !== 'fds.data.v1') return;
    const { epoch, sequence, data } = message.value;
    const event = readCountedEvent(data.json ?? {});
    if (epoch === undefined || sequence === undefined || event === undefined) return;
    epochOf(epoch).sent[sequence - 1] = { id: event.id, n: event.n };
    onSent(event);
  };

  const seeData = (payload: Buffer): void => {
    const carried = carriedEvents(payload);
    if (carried.ok) for (const event of carried.value) seeEvent(event);
  };

  function* events(): Generator<Pick<CountedEvent, 'id' | 'n'>> {
    // a link report also uses a number; filter skips the resulting gaps
    for (const { sent, acknowledged } of epochs.values()) yield* sent.slice(0, acknowledged).filter(() => true);
  }

  return {
    see: (frame) => {
      const publication = readPublication(frame);
      const channel = publication === undefined ? undefined : parseTopic(publication.topic)?.channel;
      if (publication === undefined) return;
      const { payload } = publication;
      if (channel === 'up/data') seeData(payload);
      if (channel === 'down/ack') {
        const message = parseMessage(channel, payload);
        if (message.ok) acknowledge(message.value.data.epoch, message.value.data.upto);
      }
      if (channel === 'down/hello') {
        const message = parseMessage(channel, payload);
        if (message.ok && message.value.data.epoch !== null)
          acknowledge(message.value.data.epoch, message.value.data.applied);
      }
    },
    events,
    count: () => [...epochs.values()].reduce((sum, { sent, acknowledged }) => sum + countUpto(sent, acknowledged), 0),
  };
};
