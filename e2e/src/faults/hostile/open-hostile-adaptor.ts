import { randomUUID } from 'node:crypto';
import { buildMessage, parseMessage, parseTopic, topicOf, type Channel } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import type { CreatedAdaptor } from '../../harness/catalogue.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { connectWireAdaptor, stampOf } from '../../harness/wire-adaptor.js';
import type { Place } from './hostile-messages.js';

/** An adaptor without an SDK that can send any message. */
export interface HostileAdaptor {
  /** The sequence number of its next event. It stays the same until the server has handled that event. */
  place(): Place;
  /** Publishes the payload unchanged. Resolves when the broker has it. */
  say(channel: Channel, payload: string | Uint8Array): Promise<void>;
  /** Waits until the server has handled the event with this sequence number. */
  untilDone(place: Place): Promise<void>;
}

/** Connects and sends a hello. The leftovers end it. */
export const openHostileAdaptor = async (
  leftovers: Leftovers,
  brokerUrl: string,
  adaptor: CreatedAdaptor,
): Promise<HostileAdaptor> => {
  const { ops, data } = await connectWireAdaptor(leftovers, brokerUrl, adaptor);
  const epoch = randomUUID();
  let done = 0;
  let isMet = false;
  data.on('message', (topic, payload) => {
    const channel = parseTopic(topic)?.channel;
    if (channel === 'down/ack') {
      const message = parseMessage(channel, payload);
      if (message.ok && message.value.data.epoch === epoch) done = Math.max(done, message.value.data.upto);
    }
    if (channel === 'down/hello') {
      const message = parseMessage(channel, payload);
      if (message.ok) isMet = message.value.data.epoch === epoch;
    }
  });
  const say = async (channel: Channel, payload: string | Uint8Array): Promise<void> => {
    const client = channel === 'up/data' || channel === 'up/hello' || channel === 'up/ack' ? data : ops;
    const bytes = typeof payload === 'string' ? payload : Buffer.from(payload);
    await client.publishAsync(topicOf({ adaptorUuid: adaptor.uuid, channel }), bytes, { qos: 1 });
  };
  const hello = { epoch: null, applied: 0, sendEpoch: epoch, sent: 0 };
  await say('up/hello', buildMessage('up/hello', { ...stampOf(adaptor), type: 'fds.hello.v1', data: hello }));
  await eventually(() => {
    if (!isMet) throw new Error('the server does not answer hello');
  });
  return {
    place: () => ({ ...stampOf(adaptor), epoch, sequence: done + 1, transactionUuid: randomUUID() }),
    say,
    untilDone: ({ sequence }) =>
      eventually(() => {
        if (done < sequence) throw new Error(`the server has done ${done}, not ${sequence}`);
      }),
  };
};
