import { describe, expect, it } from '@jest/globals';
import { buildEnvelope, parseEnvelope } from '../envelope.js';
import { readTraceparent, writeTraceparent } from './trace-context.js';

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

describe('traceparent', () => {
  it.each([
    ['01', true],
    ['00', false],
    // other flags do not say whether the trace is recorded
    ['03', true],
    ['fe', false],
  ])('with the flags %s is read and written', (flags, isSampled) => {
    expect(readTraceparent(`00-${traceId}-${spanId}-${flags}`)).toEqual({ traceId, spanId, isSampled });
    expect(writeTraceparent({ traceId, spanId, isSampled })).toBe(`00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`);
  });

  it('is read in a later version, with members that come after', () => {
    const read = { traceId, spanId, isSampled: true };
    expect(readTraceparent(`01-${traceId}-${spanId}-01`)).toEqual(read);
    expect(readTraceparent(`cc-${traceId}-${spanId}-01-what-comes`)).toEqual(read);
  });

  it.each([
    undefined,
    null,
    7,
    ['00'],
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `cc-${traceId}-${spanId}-01more`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    ` 00-${traceId}-${spanId}-01`,
    `cc-${traceId}-${spanId}-01-${'x'.repeat(300)}`,
  ])('%j is ignored', (given) => {
    expect(readTraceparent(given)).toBeUndefined();
  });

  it('that is malformed is no reason to refuse a message', () => {
    const message = { id: 'i', source: '/server', type: 't', time: '2026-11-29T09:00:00Z', data: {} };
    const read = (traceparent: unknown): unknown =>
      parseEnvelope(Buffer.from(buildEnvelope({ ...message, traceparent } as never)));
    const good = `00-${traceId}-${spanId}-01`;
    expect(read(good)).toMatchObject({ ok: true, value: { traceparent: good } });
    for (const bad of [7, {}, 'x'.repeat(100_000), `00-${traceId}`]) {
      expect(read(bad)).toMatchObject({ ok: true });
      expect(read(bad)).not.toHaveProperty('value.traceparent');
    }
  });
});
