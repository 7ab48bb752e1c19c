import { describe, expect, it } from '@jest/globals';
import { writeDataPayload } from '../../exchange/relay/data-envelope.js';
import { createWorld } from '../../testing/event-world.js';
import { envelopeBytes, maxMessageBytes, oversizeOf } from './message-limit.js';

const nilUuid = '00000000-0000-0000-0000-000000000000';

describe('oversizeOf', () => {
  it('counts bytes of UTF-8, to the last one', () => {
    expect(oversizeOf('a'.repeat(maxMessageBytes))).toBeUndefined();
    expect(oversizeOf('a'.repeat(maxMessageBytes + 1))).toBe(maxMessageBytes + 1);
    expect(oversizeOf('€'.repeat(Math.floor(maxMessageBytes / 3)))).toBeUndefined();
    expect(oversizeOf('€'.repeat(Math.floor(maxMessageBytes / 3) + 1))).toBeGreaterThan(maxMessageBytes);
  });

  it('leaves room for the envelope', () => {
    const stamp = {
      newUuid: () => nilUuid,
      sequence: Number.MAX_SAFE_INTEGER,
      epoch: nilUuid,
      time: new Date(0),
    };
    const whole = writeDataPayload([{ sequence: 1, recordUuid: nilUuid, message: '{}' }], stamp);
    expect(Buffer.byteLength(whole) - '{}'.length).toBeLessThanOrEqual(envelopeBytes);
  });
});

describe('a message that is too large', () => {
  const small = { id: 1, name: 'Ada' };
  // each quote has one backslash in jsonData, and three more where that is a text in the message
  const large = { id: 1, name: '"'.repeat(maxMessageBytes / 4) };

  it('is sent to no adaptor, and the next one takes its usual way', () => {
    const { happen, sent, leftOut } = createWorld();
    const outcome = happen('A', { action: 'POST', json: large });
    expect(outcome.event?.action).toBe('POST');
    expect(sent(outcome)).toEqual([]);
    expect(leftOut().map(({ destination }) => destination.uuid)).toHaveLength(2);
    expect(sent(happen('A', { action: 'PUT', json: small }))).toEqual([
      'B POST {"id":1,"name":"Ada"}',
      'C POST {"id":1,"name":"Ada"}',
    ]);
  });

  it('leaves its destination with its former content, also after another report of it', () => {
    const { happen, sent, leftOut } = createWorld();
    happen('A', { action: 'POST', json: small });
    happen('B', { action: 'POST', json: small });
    expect(sent(happen('A', { action: 'PUT', json: large }))).toEqual([]);
    expect(leftOut()[0]?.data).toMatchObject({ action: 'PUT', domain: 'Customer', drKey: '[1]' });
    expect(leftOut()[0]?.data).not.toHaveProperty('jsonData');
    expect(sent(happen('A', { action: 'PUT', json: { id: 1, name: 'Lovelace' } }))).toContain(
      'B PUT {"id":1,"name":"Lovelace"}',
    );
  });
});
