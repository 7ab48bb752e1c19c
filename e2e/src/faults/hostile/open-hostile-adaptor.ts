import { randomUUID } from 'node:crypto';
import { buildMessage, parseMessage, parseTopic, topicOf, type Channel } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import type { MqttClient } from 'mqtt';
import type { CreatedAdaptor } from '../../harness/catalogue.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { connectWireAdaptor, stampOf, type WireAdaptor } from '../../harness/wire-adaptor.js';
import type { Place } from './hostile-messages.js';

/** An adaptor without an SDK that can send any message. */
export interface HostileAdaptor {
  /** The sequence number of its next event. It stays the same until the server has handled that event. */
  place(): Place;
  /** Are both connections open? */
  isConnected(): boolean;
  /** Publishes the payload unchanged. Resolves when the broker has it, with false when the broker ends the connection instead. */
  say(channel: Channel, payload: string | Uint8Array): Promise<boolean>;
  /** Connects again with the same epoch, after the broker has ended a connection. */
  connectAgain(): Promise<void>;
  /** Waits until the server has handled the event with this sequence number. */
  untilDone(place: Place): Promise<void>;
}

/** Publishes a message. Resolves with false when the connection ends before the broker has acknowledged it. */
const publish = (client: MqttClient, topic: string, payload: string | Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    const take = (isTaken: boolean) => () => {
      client.off('close', cut).off('error', cut);
      resolve(isTaken);
    };
    const [taken, cut] = [take(true), take(false)];
    client.on('close', cut).on('error', cut);
    if (client.connected) client.publishAsync(topic, payload, { qos: 1 }).then(taken, cut);
    else cut();
  });

/** Connects and sends a hello. The leftovers end it. */
export const openHostileAdaptor = async (
  leftovers: Leftovers,
  brokerUrl: string,
  adaptor: CreatedAdaptor,
): Promise<HostileAdaptor> => {
  const epoch = randomUUID();
  let done = 0;
  let isMet = false;

  const connect = async (): Promise<WireAdaptor> => {
    const wire = await connectWireAdaptor(leftovers, brokerUrl, adaptor);
    isMet = false;
    wire.data.on('message', (topic, payload) => {
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
    const hello = { epoch: null, applied: 0, sendEpoch: epoch, sent: done };
    const message = buildMessage('up/hello', { ...stampOf(adaptor), type: 'fds.hello.v1', data: hello });
    await publish(wire.data, topicOf({ adaptorUuid: adaptor.uuid, channel: 'up/hello' }), message);
    await eventually(() => {
      if (!isMet) throw new Error('the server does not answer hello');
    });
    return wire;
  };

  let wire = await connect();
  return {
    place: () => ({ ...stampOf(adaptor), epoch, sequence: done + 1, transactionUuid: randomUUID() }),
    isConnected: () => wire.data.connected && wire.ops.connected,
    say: (channel, payload) => {
      const client = channel === 'up/data' || channel === 'up/hello' || channel === 'up/ack' ? wire.data : wire.ops;
      const bytes = typeof payload === 'string' ? payload : Buffer.from(payload);
      return publish(client, topicOf({ adaptorUuid: adaptor.uuid, channel }), bytes);
    },
    connectAgain: async () => {
      await Promise.all([wire.data.endAsync(true), wire.ops.endAsync(true)]);
      wire = await connect();
    },
    untilDone: ({ sequence }) =>
      eventually(() => {
        if (done < sequence) throw new Error(`the server has done ${done}, not ${sequence}`);
      }),
  };
};
