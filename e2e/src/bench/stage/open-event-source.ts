import {
  acknowledged,
  assigned,
  buildMessage,
  checkedForTimeout,
  createSender,
  metReceiver,
  nextToSend,
  parseMessage,
  sent,
  parseTopic,
  topicOf,
  type JsonObject,
  type Sender,
} from '@fds/adaptor-protocol';
import { randomUUID } from 'node:crypto';
import type { CreatedAdaptor } from '../../harness/catalogue.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { connectWireAdaptor, stampOf } from '../../harness/wire-adaptor.js';

/** A source that publishes directly on the bus, without a journal on disk. */
export interface EventSource {
  /** Numbers changed records and writes their messages, without sending them. */
  prepare(records: readonly JsonObject[]): void;
  /** Sends the prepared messages as fast as the server acknowledges them. Resolves when all are acknowledged. */
  sendPrepared(): Promise<void>;
  /** Number of times that the sender had to go back because of a missing acknowledgement. */
  readonly rewinds: number;
}

/** Connects a source for version 1 of the domain and sends a hello. */
export const openEventSource = async (
  leftovers: Leftovers,
  busUrl: string,
  adaptor: CreatedAdaptor,
  domain: string,
): Promise<EventSource> => {
  const { data } = await connectWireAdaptor(leftovers, busUrl, adaptor);

  const journal: string[] = [];
  const epoch = randomUUID();
  const dataTopic = topicOf({ adaptorUuid: adaptor.uuid, channel: 'up/data' });
  let sender: Sender = createSender({ epoch, acked: 0, last: 0 });
  let rewinds = 0;
  let onProgress: () => void = () => undefined;

  const moveTo = (next: Sender): void => {
    sender = next;
    const range = nextToSend(sender);
    if (range !== undefined) {
      for (const payload of journal.slice(range.from - 1, range.to)) data.publish(dataTopic, payload, { qos: 1 });
      sender = sent(sender, range.to, performance.now());
    }
    onProgress();
  };
  data.on('message', (topic, payload) => {
    const channel = parseTopic(topic)?.channel;
    if (channel === 'down/ack') {
      const message = parseMessage(channel, payload);
      if (message.ok) moveTo(acknowledged(sender, message.value.data, performance.now()));
    } else if (channel === 'down/hello') {
      const message = parseMessage(channel, payload);
      // each event in a separate message, although the server takes batches
      if (message.ok) moveTo(metReceiver(sender, { ...message.value.data, batch: undefined }, performance.now()));
    }
  });
  const watch = setInterval(() => {
    const checked = checkedForTimeout(sender, performance.now());
    if (checked === sender) return;
    rewinds += 1;
    moveTo(checked);
  }, 250);
  leftovers.add(() => clearInterval(watch));

  const until = (reached: () => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${what}: reached ${sender.acked} of ${sender.last}`)), 60_000);
      onProgress = () => {
        late.refresh(); // the limit is a minute without progress, not a minute in total
        if (!reached()) return;
        clearTimeout(late);
        onProgress = () => undefined;
        resolve();
      };
      onProgress();
    });

  const hello = { epoch: null, applied: 0, sendEpoch: epoch, sent: 0 };
  await data.publishAsync(
    topicOf({ adaptorUuid: adaptor.uuid, channel: 'up/hello' }),
    buildMessage('up/hello', { ...stampOf(adaptor), type: 'fds.hello.v1', data: hello }),
    { qos: 1 },
  );
  await until(() => sender.open, 'the server does not answer hello');

  return {
    prepare: (records) => {
      for (const json of records) {
        const change = {
          action: 'POST',
          domain,
          version: 1,
          json,
          transactionUuid: randomUUID(),
          createTime: Date.now(),
        } as const;
        journal.push(
          buildMessage('up/data', {
            ...stampOf(adaptor),
            type: 'fds.data.v1',
            sequence: journal.length + 1,
            epoch,
            data: change,
          }),
        );
      }
    },
    sendPrepared: () => {
      moveTo(assigned(sender, journal.length));
      return until(() => sender.acked === journal.length, 'events are not acknowledged');
    },
    get rewinds() {
      return rewinds;
    },
  };
};
