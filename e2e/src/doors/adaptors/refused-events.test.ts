import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildMessage, parseMessage, parseTopic, type Refusal, topicOf } from '@fds/adaptor-protocol';
import type { MqttClient } from 'mqtt';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion } from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { connectWireAdaptor, connectWireClient, reportStarted, stampOf } from '../../harness/wire-adaptor.js';
import { crashOrderVariable, type CrashOrder } from '../../faults/crash-points/crash-order.js';
import type { Service } from '../../harness/service.js';
import { openDoors, type Doors } from '../open-doors.js';

const leftovers = createLeftovers();
let doors: Doors<Service>;
beforeAll(async () => {
  doors = await openDoors(leftovers);
  await createVersion(doors.dgs, {
    name: 'refused',
    domainType: 'FEDERATED',
    properties: { id: { type: 'string' } },
    drKeyProperties: ['id'],
  });
}, 120_000);
afterAll(() => leftovers.dispose(), 120_000);

/** The notices that an `ops` client receives from now on. */
const noticesOf = (ops: MqttClient): readonly Refusal[] => {
  const notices: Refusal[] = [];
  ops.on('message', (at, payload) => {
    if (parseTopic(at)?.channel !== 'down/ops') return;
    const parsed = parseMessage('down/ops', payload);
    if (parsed.ok && parsed.value.type === 'fds.refused.v1') notices.push(parsed.value.data);
  });
  return notices;
};

/** Connects both clients of an adaptor and sends a hello. */
const connectSource = async (name: string) => {
  const adaptor = await createAdaptor(doors.dgs, doors.root, { name, capabilities: allActions('refused') });
  const { busUrl } = doors.service;
  const { ops, data } = await connectWireAdaptor(leftovers, busUrl, adaptor);
  const epoch = randomUUID();
  let acknowledged = 0;
  let isGreeted = false;
  data.on('message', (at, payload) => {
    const channel = parseTopic(at)?.channel;
    if (channel === 'down/hello') isGreeted = true;
    if (channel !== 'down/ack') return;
    const parsed = parseMessage(channel, payload);
    if (parsed.ok) acknowledged = parsed.value.data.upto;
  });
  const publish = (client: MqttClient, channel: 'up/hello' | 'up/data' | 'up/ops', payload: string) =>
    client.publishAsync(topicOf({ adaptorUuid: adaptor.uuid, channel }), payload, { qos: 1 });
  const hello = { epoch: null, applied: 0, sendEpoch: epoch, sent: 0 };
  const said = buildMessage('up/hello', { ...stampOf(adaptor), type: 'fds.hello.v1', data: hello });
  await publish(data, 'up/hello', said);
  await eventually(() => expect(isGreeted).toBe(true));
  const eventOf = (sequence: number): string => {
    const json = { id: `r${sequence}`, colour: 'red' };
    const event = { action: 'POST', domain: 'refused', version: 1, json, transactionUuid: randomUUID() } as const;
    const numbering = { epoch, sequence, data: { ...event, createTime: Date.now() } };
    return buildMessage('up/data', { ...stampOf(adaptor), type: 'fds.data.v1', ...numbering });
  };
  return {
    ops,
    /** Publishes an invalid event without waiting. */
    publishInvalid: (sequence: number): void => void publish(data, 'up/data', eventOf(sequence)).catch(() => undefined),
    untilAcknowledged: (sequence: number) => eventually(() => expect(acknowledged).toBe(sequence)),
    /** Connects another `ops` client. */
    reconnect: async () => {
      const next = await connectWireClient(busUrl, adaptor, 'ops');
      leftovers.add(() => next.endAsync(true));
      const notices = noticesOf(next);
      await reportStarted(next, adaptor);
      return { ops: next, notices };
    },
    acknowledge: (client: MqttClient, notices: readonly Refusal[]) => {
      const issueUuids = notices.map(({ issueUuid }) => issueUuid);
      const ack = buildMessage('up/ops', {
        ...stampOf(adaptor),
        type: 'fds.refused.ack.v1',
        data: { issueUuids },
      });
      return publish(client, 'up/ops', ack);
    },
  };
};

const sequencesOf = (notices: readonly Refusal[]): readonly number[] => notices.map(({ sequence }) => sequence);

describe('the notice of a refused event', () => {
  it('is repeated once after each START, until the adaptor has acknowledged it', async () => {
    const source = await connectSource('Away');
    await source.ops.endAsync(true);
    source.publishInvalid(1);
    await source.untilAcknowledged(1);
    const second = await source.reconnect();
    await eventually(() => expect(second.notices).toMatchObject([{ sequence: 1, drKey: { id: 'r1' } }]));
    await source.acknowledge(second.ops, second.notices);

    await second.ops.endAsync(true);
    source.publishInvalid(2);
    await source.untilAcknowledged(2);
    const third = await source.reconnect();
    // the oldest notice is sent first, so the acknowledged one would be there
    await eventually(() => expect(sequencesOf(third.notices)).toEqual([2]));

    await third.ops.endAsync(true);
    const fourth = await source.reconnect();
    await eventually(() => expect(sequencesOf(fourth.notices)).toEqual([2]));
    source.publishInvalid(3);
    await eventually(() => expect(sequencesOf(fourth.notices)).toEqual([2, 3]));
  }, 60_000);

  it('is sent by the next server when the server is killed between the commit and the notice', async () => {
    const { service } = doors;
    const moment = { at: 'TRANSACTION', containing: 'records-save-refusals', when: 'AFTER' } as const;
    const order: CrashOrder = { moment, time: 1 };
    await service.kill();
    service.launch({
      preload: 'e2e/dist/faults/crash-points/die-on-order.js',
      environment: { [crashOrderVariable]: JSON.stringify(order) },
    });
    await service.untilHealthy();
    const source = await connectSource('Survivor');
    const before = noticesOf(source.ops);
    source.publishInvalid(1);
    await service.process().ended();
    await service.start();
    const { notices } = await source.reconnect();
    await eventually(() => expect(sequencesOf(notices)).toEqual([1]));
    expect(before).toEqual([]);
  }, 120_000);
});
