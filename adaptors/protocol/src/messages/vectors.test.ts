import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { buildEnvelope, parseEnvelope } from '../envelope.js';
import { stringifyJson } from '../json/stringify-json.js';
import { maxPayloadBytes } from '../limits.js';
import type { Channel } from '../topics.js';
import { parseMessage } from './message.js';

interface Vector {
  readonly name: string;
  readonly channel: Channel;
  readonly payload: string;
  readonly sequence?: number;
  /** Digits that must stay unchanged after reading and writing. */
  readonly exact?: string;
  readonly faults?: readonly (readonly [string, string])[];
}

const { cases } = JSON.parse(readFileSync(new URL('../../vectors/messages.json', import.meta.url), 'utf8')) as {
  cases: readonly Vector[];
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('test vectors', () => {
  it.each(cases.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const parsed = parseMessage(vector.channel, bytes(vector.payload));
    expect(parsed.ok ? [] : parsed.faults.map(({ pointer, code }) => [pointer, code])).toEqual(vector.faults ?? []);
    if (!parsed.ok) return;
    if (vector.sequence !== undefined) expect(parsed.value.sequence).toBe(vector.sequence);
    if (vector.exact !== undefined) expect(stringifyJson(parsed.value.data)).toContain(vector.exact);
  });
});

describe('parseEnvelope', () => {
  it('reads the output of buildEnvelope', () => {
    const envelope = {
      id: '1',
      source: '/server',
      type: 'fds.data.v1',
      time: '2026-11-21T10:00:00.000Z',
      sequence: Number.MAX_SAFE_INTEGER,
      epoch: '0199d0a0-0000-7000-8000-0000000000ee',
      data: { id: 9223372036854775807n },
    };
    const text = buildEnvelope(envelope);
    expect(text).toContain('"sequence":"0009007199254740991"');
    expect(parseEnvelope(bytes(text))).toEqual({ ok: true, value: envelope });
  });

  it('refuses a message that exceeds the size limit, and a message that is not UTF-8', () => {
    expect(parseEnvelope(new Uint8Array(maxPayloadBytes + 1))).toMatchObject({ faults: [{ code: 'TOO_LARGE' }] });
    expect(parseEnvelope(new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({ faults: [{ code: 'NOT_JSON' }] });
  });
});
