import { describe, expect, it } from '@jest/globals';
import { parseEnvelope } from './envelope.js';
import { maxPayloadBytes } from './limits.js';
import { parseNumbering } from './parse-numbering.js';

const epoch = '0199d0a0-0000-7000-8000-000000000001';
const payloadOf = (message: object): Uint8Array => new TextEncoder().encode(JSON.stringify(message));

describe('parseNumbering', () => {
  it.each<[string, object]>([
    ['an envelope that has only its numbering', { epoch, sequence: '0000000000000000007' }],
    ['a message that exceeds the size limit', { epoch, sequence: '7', data: { text: 'x'.repeat(maxPayloadBytes) } }],
  ])('reads the number of %s', (_, message) => {
    expect(parseNumbering(payloadOf(message))).toEqual({ epoch, sequence: 7 });
  });

  it('reads the number of a message that nests too deeply', () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const payload = new TextEncoder().encode(`{"epoch":"${epoch}","sequence":"7","data":${nested}}`);
    expect(parseNumbering(payload)).toEqual({ epoch, sequence: 7 });
    expect(parseEnvelope(payload)).toMatchObject({ ok: false, faults: [{ pointer: '', code: 'TOO_DEEP' }] });
  });

  it.each<[string, Uint8Array]>([
    ['text that is not JSON', new TextEncoder().encode('{')],
    ['JSON that is not an object', payloadOf([])],
    ['a message without an epoch', payloadOf({ sequence: '7' })],
    ['a message without a number', payloadOf({ epoch, sequence: 'seven' })],
    ['text that is far too large to be read', new Uint8Array(17 * maxPayloadBytes)],
  ])('finds no number in %s', (_, payload) => {
    expect(parseNumbering(payload)).toBeUndefined();
  });
});
