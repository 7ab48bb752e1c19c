import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildMessage, parseMessage, parseTopic, type Refusal, topicOf } from '@fds/adaptor-protocol';
import type { MqttClient } from 'mqtt';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion, type CreatedAdaptor } from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { connectWireAdaptor, connectWireClient, reportStarted, stampOf } from '../../harness/wire-adaptor.js';
import { openDoors, type Doors } from '../open-doors.js';

const leftovers = createLeftovers();
let doors: Doors;
let adaptor: CreatedAdaptor;
beforeAll(async () => {
  doors = await openDoors(leftovers);
  await createVersion(doors.dgs, {
    name: 'refused',
    domainType: 'FEDERATED',
    properties: { id: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  adaptor = await createAdaptor(doors.dgs, doors.root, { name: 'Refused', capabilities: allActions('refused') });
}, 120_000);
afterAll(() => leftovers.dispose(), 120_000);

const topic = (channel: 'up/hello' | 'up/data' | 'up/ops'): string => topicOf({ adaptorUuid: adaptor.uuid, channel });

/** The notices that an `ops` client gets from now on. */
const noticesOf = (ops: MqttClient): readonly Refusal[] => {
  const notices: Refusal[] = [];
  ops.on('message', (at, payload) => {
    if (parseTopic(at)?.channel !== 'down/ops') return;
    const parsed = parseMessage('down/ops', payload);
    if (parsed.ok && parsed.value.type === 'fds.refused.v1') notices.push(parsed.value.data);
  });
  return notices;
};

it('repeats the notice of a refused event once after each START, until the adaptor has acknowledged it', async () => {
  const epoch = randomUUID();
  const wire = await connectWireAdaptor(leftovers, doors.service.busUrl, adaptor);
  let acknowledged = 0;
  let greeted = false;
  wire.data.on('message', (at, payload) => {
    const channel = parseTopic(at)?.channel;
    if (channel === 'down/hello') greeted = true;
    if (channel !== 'down/ack') return;
    const parsed = parseMessage(channel, payload);
    if (parsed.ok) acknowledged = parsed.value.data.upto;
  });
  const hello = { epoch: null, applied: 0, sendEpoch: epoch, sent: 0 };
  await wire.data.publishAsync(
    topic('up/hello'),
    buildMessage('up/hello', { ...stampOf(adaptor), type: 'fds.hello.v1', data: hello }),
    { qos: 1 },
  );
  await eventually(() => expect(greeted).toBe(true));
  const refuse = async (sequence: number): Promise<void> => {
    const json = { id: `r${sequence}`, colour: 'red' };
    const event = { action: 'POST', domain: 'refused', version: 1, json, transactionUuid: randomUUID() } as const;
    const data = { ...event, createTime: Date.now() };
    await wire.data.publishAsync(
      topic('up/data'),
      buildMessage('up/data', { ...stampOf(adaptor), type: 'fds.data.v1', epoch, sequence, data }),
      { qos: 1 },
    );
    await eventually(() => expect(acknowledged).toBe(sequence));
  };
  const reconnect = async () => {
    const ops = await connectWireClient(doors.service.busUrl, adaptor, 'ops');
    leftovers.add(async () => void (await ops.endAsync(true)));
    const notices = noticesOf(ops);
    await reportStarted(ops, adaptor);
    return { ops, notices };
  };

  await wire.ops.endAsync(true);
  await refuse(1);
  const second = await reconnect();
  await eventually(() => expect(second.notices).toMatchObject([{ epoch, sequence: 1, drKey: { id: 'r1' } }]));
  const issueUuids = second.notices.map(({ issueUuid }) => issueUuid);
  await second.ops.publishAsync(
    topic('up/ops'),
    buildMessage('up/ops', { ...stampOf(adaptor), type: 'fds.refused.ack.v1', data: { issueUuids } }),
    { qos: 1 },
  );

  await second.ops.endAsync(true);
  await refuse(2);
  const third = await reconnect();
  // the oldest comes first, so the acknowledged one would be there
  await eventually(() => expect(third.notices.map(({ sequence }) => sequence)).toEqual([2]));

  await third.ops.endAsync(true);
  const fourth = await reconnect();
  await eventually(() => expect(fourth.notices.map(({ sequence }) => sequence)).toEqual([2]));
  await refuse(3);
  await eventually(() => expect(fourth.notices.map(({ sequence }) => sequence)).toEqual([2, 3]));
}, 60_000);
