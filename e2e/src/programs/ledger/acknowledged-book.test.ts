import { adaptorSource, buildMessage, serverSource, topicOf } from '@fds/adaptor-protocol';
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Frame } from './mqtt-frames.js';
import { createAcknowledgedBook } from './acknowledged-book.js';
import { countedEvent } from './counted-event.js';

const adaptorUuid = randomUUID();
const epoch = randomUUID();
const stamp = { id: 'x', source: adaptorSource(adaptorUuid), time: '2026-01-01T00:00:00Z' };

/** PUBLISH with QoS 1 and a body of 128 to 16383 bytes. */
const frame = (channel: 'up/data' | 'down/ack', payload: string): Frame => {
  const topic = Buffer.from(topicOf({ adaptorUuid, channel }));
  const body = Buffer.concat([Buffer.from([0, topic.length]), topic, Buffer.from([0, 1]), Buffer.from(payload)]);
  return Buffer.concat([Buffer.from([0x32, (body.length % 128) | 0x80, Math.floor(body.length / 128)]), body]);
};

const dataFrame = (sequence: number): Frame => {
  const json = { ...countedEvent('s', 1, sequence) };
  const data = { action: 'PUT', domain: 'd', version: 1, json, transactionUuid: randomUUID(), createTime: 1 } as const;
  return frame('up/data', buildMessage('up/data', { ...stamp, type: 'fds.data.v1', sequence, epoch, data }));
};

const linkFrame = (sequence: number): Frame => {
  const links = [{ drUuid: randomUUID(), domain: 'd', version: 1, action: 'LINK' as const }];
  return frame('up/data', buildMessage('up/data', { ...stamp, type: 'fds.link.v1', sequence, epoch, data: { links } }));
};

const ackFrame = (upto: number): Frame =>
  frame(
    'down/ack',
    buildMessage('down/ack', { ...stamp, source: serverSource, type: 'fds.ack.v1', data: { epoch, upto } }),
  );

describe('AcknowledgedBook', () => {
  it('counts data events, but not the link reports between them', () => {
    const book = createAcknowledgedBook(() => undefined);
    for (const seen of [dataFrame(1), linkFrame(2), linkFrame(3), dataFrame(4), dataFrame(5), ackFrame(4)])
      book.see(seen);
    expect(book.count()).toBe(2);
    expect([...book.events()]).toHaveLength(2);
  });
});
