import { describe, expect, it } from '@jest/globals';
import { createFrameGauge, maxPieces } from './frame-gauge.js';

const maxPacketBytes = 300;
const whole = (bodyBytes: number): Uint8Array =>
  Uint8Array.from([0x30, (bodyBytes % 128) + 128, Math.floor(bodyBytes / 128), ...Array<number>(bodyBytes).fill(0xff)]);
const ping = Uint8Array.from([0xc0, 0]);
const joined = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

/** The first fault that is found when the bytes arrive in pieces of this size. */
const faultOf = (bytes: Uint8Array, pieceBytes: number): string | undefined => {
  const gauge = createFrameGauge(maxPacketBytes);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const fault = gauge.take(bytes.subarray(at, at + pieceBytes));
    if (fault !== undefined) return fault;
  }
  return undefined;
};

describe('createFrameGauge', () => {
  it.each([1, 2, 3, 5, 1_000])('accepts packets up to the limit, in pieces of %d bytes', (pieceBytes) => {
    const stream = joined(whole(maxPacketBytes), ping, whole(129), ping, ping, whole(maxPacketBytes));
    expect(faultOf(stream, pieceBytes)).toBeUndefined();
  });

  it.each([1, 2, 3, 5, 1_000])(
    'refuses a packet above the limit that follows other packets, in pieces of %d bytes',
    (pieceBytes) => {
      expect(faultOf(joined(whole(200), ping, whole(maxPacketBytes + 1)), pieceBytes)).toBe('PACKET_TOO_LARGE');
    },
  );

  it('refuses a packet by its header, before its body arrives', () => {
    expect(faultOf(Uint8Array.from([0x10, 0xff, 0xff, 0xff, 0x7f]), 1)).toBe('PACKET_TOO_LARGE');
  });

  it('refuses a length field of five digits', () => {
    expect(faultOf(Uint8Array.from([0x10, 0x80, 0x80, 0x80, 0x80, 0x00]), 10)).toBe('LENGTH_MALFORMED');
  });

  it('refuses a packet that arrives in too many pieces, and counts the pieces of each packet separately', () => {
    const gauge = createFrameGauge(10_000);
    const one = Uint8Array.from([0]);
    for (let packet = 0; packet < 2; packet += 1) {
      gauge.take(Uint8Array.from([0x30, 0x80 + (4_000 % 128), Math.floor(4_000 / 128)]));
      for (let piece = 0; piece < 4_000; piece += 1) expect(gauge.take(one)).toBeUndefined();
    }
    gauge.take(Uint8Array.from([0x30, 0x80 + (5_000 % 128), Math.floor(5_000 / 128)]));
    const faults = Array.from({ length: maxPieces }, () => gauge.take(one));
    expect(faults.at(-1)).toBe('TOO_MANY_PIECES');
  });
});
