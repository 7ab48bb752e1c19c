import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MqttConnection, openMqttConnection, type ServerBus, type UpKind, type UpMessage } from '@fds/adaptor-bus';
import { clientIdOf, subscriptionsOf, topicOf } from '@fds/adaptor-protocol';

/** A server's end under test, and the address for its adaptors. */
export interface BusUnderTest {
  readonly bus: ServerBus;
  readonly url: string;
  /** User names and passwords that the broker accepts, if it checks them. */
  readonly secret: string;
  close(): Promise<void>;
}

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

const eventually = async (condition: () => boolean): Promise<void> => {
  const end = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`did not hold: ${condition.toString()}`);
    await sleep(5);
  }
};

/** The contract of every ServerBus. Call it inside a `describe`. */
export const serverBusContract = (open: () => Promise<BusUnderTest>): void => {
  let subject: BusUnderTest;
  let connections: MqttConnection[];

  const connect = async (adaptorUuid: string, received: string[] = []): Promise<MqttConnection> => {
    let up = false;
    const connection = openMqttConnection({
      url: subject.url,
      clientId: clientIdOf(adaptorUuid, 'data'),
      username: adaptorUuid,
      password: subject.secret,
      subscriptions: subscriptionsOf(adaptorUuid, 'data'),
      onUp: () => {
        up = true;
      },
      onDown: () => undefined,
      onMessage: (_topic, payload) => received.push(Buffer.from(payload).toString()),
      log: silent,
    });
    connections.push(connection);
    await eventually(() => up);
    return connection;
  };

  beforeEach(async () => {
    connections = [];
    subject = await open();
  });
  afterEach(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await subject.close();
  });

  it('hands over the messages of adaptors in order, with the adaptor that the topic names', async () => {
    const adaptorUuid = randomUUID();
    const taken: UpMessage[] = [];
    subject.bus.handle('data', (message) => void taken.push(message));
    await eventually(() => subject.bus.connected);
    const adaptor = await connect(adaptorUuid);
    const texts = Array.from({ length: 500 }, (_, index) => `{"n":${index}}`);
    await Promise.all(texts.map((text) => adaptor.publish(topicOf({ adaptorUuid, channel: 'up/data' }), text)));
    await eventually(() => taken.length === 500);
    expect(taken.map(({ payload }) => Buffer.from(payload).toString())).toEqual(texts);
    expect(new Set(taken.map((message) => `${message.adaptorUuid} ${message.kind}`))).toEqual(
      new Set([`${adaptorUuid} data`]),
    );
  });

  it('publishes messages to one adaptor in order', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const [ofOne, ofOther]: [string[], string[]] = [[], []];
    await eventually(() => subject.bus.connected);
    await Promise.all([connect(one, ofOne), connect(other, ofOther)]);
    const texts = Array.from({ length: 500 }, (_, index) => `{"n":${index}}`);
    await Promise.all(texts.map((text) => subject.bus.publish(one, 'data', text)));
    await eventually(() => ofOne.length === 500);
    expect(ofOne).toEqual(texts);
    expect(ofOther).toEqual([]);
  });

  it('accepts one handler per kind', () => {
    subject.bus.handle('hello', () => undefined);
    expect(() => subject.bus.handle('hello', () => undefined)).toThrow();
  });

  it('accepts answers for this process and answers for any process, but not answers for another process', async () => {
    const adaptorUuid = randomUUID();
    const taken: string[] = [];
    subject.bus.handle('rsp', ({ payload }) => void taken.push(Buffer.from(payload).toString()));
    await eventually(() => subject.bus.connected);
    const adaptor = await connect(adaptorUuid);
    const answer = (text: string, instance?: string): Promise<void> =>
      adaptor.publish(
        topicOf({ adaptorUuid, channel: 'up/rsp', ...(instance === undefined ? {} : { instance }) }),
        text,
      );
    await answer('"own"', subject.bus.replyInstance);
    await answer('"foreign"', randomUUID());
    await answer('"any"');
    await eventually(() => taken.length === 2);
    expect(taken).toEqual(['"own"', '"any"']);
  });

  it('shows messages to observers, with or without a handler', async () => {
    const adaptorUuid = randomUUID();
    const seen: string[] = [];
    const observe = (kind: UpKind, name: string): void =>
      subject.bus.observe(kind, ({ payload }) => void seen.push(`${name} ${Buffer.from(payload).toString()}`));
    observe('status', 'first');
    subject.bus.observe('status', () => {
      throw new Error('an observer that fails');
    });
    observe('status', 'second');
    observe('log', 'third');
    subject.bus.handle('status', ({ payload }) => void seen.push(`handler ${Buffer.from(payload).toString()}`));
    await eventually(() => subject.bus.connected);
    const adaptor = await connect(adaptorUuid);
    await adaptor.publish(topicOf({ adaptorUuid, channel: 'up/status' }), '1');
    await adaptor.publish(topicOf({ adaptorUuid, channel: 'up/log' }), '2');
    await eventually(() => seen.length === 4);
    expect(seen).toEqual(['first 1', 'second 1', 'handler 1', 'third 2']);
  });

  it('continues after a handler failed', async () => {
    const adaptorUuid = randomUUID();
    let seen = 0;
    subject.bus.handle('ack', () => {
      seen += 1;
      throw new Error('a handler that fails');
    });
    await eventually(() => subject.bus.connected);
    const adaptor = await connect(adaptorUuid);
    const topic = topicOf({ adaptorUuid, channel: 'up/ack' });
    await adaptor.publish(topic, '{}');
    await adaptor.publish(topic, '{}');
    await eventually(() => seen === 2);
  });

  it('when it closes, accepts no more messages, waits for handlers in flight, and refuses to publish afterwards', async () => {
    const adaptorUuid = randomUUID();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let [taken, done] = [0, false];
    subject.bus.handle('hello', async () => {
      taken += 1;
      await gate;
      done = true;
    });
    await eventually(() => subject.bus.connected);
    const adaptor = await connect(adaptorUuid);
    await adaptor.publish(topicOf({ adaptorUuid, channel: 'up/hello' }), '{}');
    await eventually(() => taken === 1);
    const closed = subject.bus.close();
    // an external broker acknowledges the message; the embedded broker ends with its server and refuses it
    await adaptor.publish(topicOf({ adaptorUuid, channel: 'up/hello' }), '{}').catch(() => undefined);
    release();
    await closed;
    expect(done).toBe(true);
    expect(taken).toBe(1);
    await expect(subject.bus.publish(adaptorUuid, 'ack', '{}')).rejects.toThrow();
  });
};
