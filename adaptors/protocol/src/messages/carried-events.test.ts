import { describe, expect, it } from '@jest/globals';
import { buildBatch } from '../build-batch.js';
import { buildEnvelope } from '../envelope.js';
import { maxPayloadBytes, receivedBatch } from '../limits.js';
import { carriedEvents } from './carried-events.js';
import { checkEvent, parseMessage } from './message.js';

const epoch = '0199d0a0-0000-7000-8000-0000000000ee';
const other = '0199d0a0-0000-7000-8000-0000000000ff';
const stamp = { id: 'b', source: '/adaptors/a', time: '2026-11-21T10:00:00Z' };
const data = {
  action: 'PUT',
  domain: 'customer',
  version: 1,
  json: { id: 1 },
  transactionUuid: '0199d0a0-0000-7000-8000-000000000004',
  createTime: 1,
};
const event = (sequence: number, more: object = {}): object => ({
  id: `e${sequence}`,
  type: 'fds.data.v1',
  partitionkey: 'g',
  sequence: String(sequence).padStart(19, '0'),
  data,
  ...more,
});
const bytes = (value: object | string): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const batch = (events: unknown, more: object = {}): Uint8Array =>
  bytes({ specversion: '1.0', ...stamp, type: 'fds.data.batch.v1', epoch, data: { events }, ...more });
const faultsOf = (payload: Uint8Array) => {
  const carried = carriedEvents(payload);
  return carried.ok ? [] : carried.faults.map(({ pointer, code }) => [pointer, code]);
};

describe('carriedEvents', () => {
  it('returns the events of a batch, each with the members that a separate envelope would have', () => {
    const texts = [7, 8].map((sequence) => JSON.stringify(event(sequence)));
    const carried = carriedEvents(bytes(buildBatch({ ...stamp, epoch }, texts)));
    if (!carried.ok) throw new Error(JSON.stringify(carried.faults));
    expect(carried.value.map(({ numbering }) => numbering)).toEqual([
      { epoch, sequence: 7 },
      { epoch, sequence: 8 },
    ]);
    const [{ envelope } = carried.value[0]!] = carried.value;
    if (!envelope.ok) throw new Error(JSON.stringify(envelope.faults));
    expect(envelope.value).toEqual({
      id: 'e7',
      source: stamp.source,
      type: 'fds.data.v1',
      time: stamp.time,
      partitionkey: 'g',
      sequence: 7,
      epoch,
      data,
    });
    expect(checkEvent('up/data', envelope.value)).toMatchObject({ ok: true, value: { data } });
  });

  it('returns a single event that is not in a batch', () => {
    const payload = bytes(buildEnvelope({ ...stamp, type: 'fds.data.v1', epoch, sequence: 3, data }));
    const carried = carriedEvents(payload);
    expect(carried).toMatchObject({ ok: true, value: [{ numbering: { epoch, sequence: 3 }, envelope: { ok: true } }] });
  });

  it('keeps the number of an event that cannot be read, and the numbers of the events around it', () => {
    const broken = [
      event(2, { time: 'yesterday' }),
      event(3, { type: 'fds.data.batch.v1', data: { events: [event(4)] } }),
      event(4, { data: [] }),
      event(5, { id: undefined }),
    ];
    const carried = carriedEvents(batch([event(1), ...broken, event(6)]));
    if (!carried.ok) throw new Error(JSON.stringify(carried.faults));
    expect(carried.value.map(({ numbering, envelope }) => [numbering?.sequence, envelope.ok])).toEqual([
      [1, true],
      [2, false],
      [3, false],
      [4, false],
      [5, false],
      [6, true],
    ]);
  });

  it('treats an event with text that no database can store as a single faulty event', () => {
    const payload = batch([event(1), event(2, { data: { ...data, json: { id: '\u0000' } } })]);
    expect(parseMessage('up/data', payload).ok).toBe(true);
    const carried = carriedEvents(payload);
    if (!carried.ok) throw new Error(JSON.stringify(carried.faults));
    expect(carried.value.map(({ envelope }) => envelope.ok && checkEvent('up/data', envelope.value).ok)).toEqual([
      true,
      false,
    ]);
  });

  it.each<[string, Uint8Array, readonly (readonly [string, string])[]]>([
    ['no epoch', batch([event(1)], { epoch: undefined }), [['/epoch', 'REQUIRED']]],
    ['its own sequence number', batch([event(1)], { sequence: '1' }), [['/sequence', 'UNKNOWN_VALUE']]],
    ['no events', batch([]), [['/data/events', 'WRONG_FORMAT']]],
    ['no list', batch({ length: 2 }), [['/data/events', 'WRONG_TYPE']]],
    ['nothing', batch(undefined), [['/data/events', 'REQUIRED']]],
    [
      'too many events',
      batch(Array.from({ length: receivedBatch.maxEvents + 1 }, (_, index) => ({ sequence: String(index + 1) }))),
      [['/data/events', 'WRONG_FORMAT']],
    ],
    ['an event that is not an object', batch([event(1), null]), [['/data/events/1/sequence', 'WRONG_FORMAT']]],
    ['a wrong order', batch([event(2), event(1)]), [['/data/events/1/sequence', 'WRONG_FORMAT']]],
    ['a number twice', batch([event(1), event(1)]), [['/data/events/1/sequence', 'WRONG_FORMAT']]],
    ['a gap', batch([event(1), event(3)]), [['/data/events/1/sequence', 'WRONG_FORMAT']]],
    ['a sequence that is a number', batch([event(1, { sequence: 1 })]), [['/data/events/0/sequence', 'WRONG_FORMAT']]],
    ['mixed epochs', batch([event(1), event(2, { epoch: other })]), [['/data/events/1/epoch', 'UNKNOWN_VALUE']]],
  ])('refuses the whole batch when it has %s', (_, payload, faults) => {
    expect(faultsOf(payload)).toEqual(faults);
  });

  it('returns no number for a batch that exceeds the size limit', () => {
    const payload = batch([event(1, { data: { text: 'x'.repeat(maxPayloadBytes) } })]);
    expect(carriedEvents(payload)).toMatchObject({ ok: true, value: [{ envelope: { ok: false } }] });
    expect(carriedEvents(payload)).not.toMatchObject({ value: [{ numbering: { epoch } }] });
  });

  it('ignores a `__proto__` member of an event', () => {
    const text = JSON.stringify(event(1)).replace('{', '{"__proto__":{"type":"fds.link.v1","polluted":true},');
    const carried = carriedEvents(bytes(buildBatch({ ...stamp, epoch }, [text])));
    expect(carried).toMatchObject({ ok: true, value: [{ envelope: { ok: true, value: { type: 'fds.data.v1' } } }] });
    expect('polluted' in {}).toBe(false);
  });
});

describe('batch of a hello', () => {
  const hello = (offer: unknown) => {
    const data = { epoch: null, applied: 0, sendEpoch: epoch, sent: 0, batch: offer };
    const parsed = parseMessage('up/hello', bytes({ specversion: '1.0', ...stamp, type: 'fds.hello.v1', data }));
    return parsed.ok ? parsed.value.data : parsed.faults;
  };

  it('is read', () => {
    expect(hello({ maxBytes: 1, maxEvents: 2, more: true })).toMatchObject({ batch: { maxBytes: 1, maxEvents: 2 } });
  });

  it.each([
    undefined,
    null,
    true,
    'yes',
    {},
    { maxBytes: 1 },
    { maxBytes: '1', maxEvents: 1 },
    { maxBytes: -1, maxEvents: 1 },
  ])('counts as absent when it is %j, and the hello stays valid', (offer) => {
    expect(hello(offer)).toEqual({ epoch: null, applied: 0, sendEpoch: epoch, sent: 0 });
  });
});
