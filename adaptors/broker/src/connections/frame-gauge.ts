/** Reason why a connection is refused further data. */
type FrameFault = 'PACKET_TOO_LARGE' | 'TOO_MANY_PIECES' | 'LENGTH_MALFORMED';

/** Watches the bytes of a connection without keeping them. */
export interface FrameGauge {
  /** Takes the next bytes. @returns the reason why they may not be passed on; undefined when they may */
  take(chunk: Uint8Array): FrameFault | undefined;
}

/** Maximum number of pieces of one packet. Each piece is a separate buffer until the packet is complete. */
export const maxPieces = 4_096;

const lengthDigits = 4;

/**
 * Knows where each MQTT packet of a stream ends (MQTT 3.1.1, 2.2). It refuses a packet as soon as its header announces
 * too many bytes, before its body is collected.
 *
 * @param maxPacketBytes largest body of a packet, as announced in its header
 */
export const createFrameGauge = (maxPacketBytes: number): FrameGauge => {
  let pieces = 0;
  /** Bytes of the body that have not arrived yet. */
  let body = 0;
  /** Digits of the length field that were read; undefined between packets and inside a body. */
  let digits: number | undefined;
  let length = 0;

  /** @returns the offset after the digits that were read */
  const readLength = (chunk: Uint8Array, start: number): number | FrameFault => {
    let at = start;
    while (digits !== undefined && at < chunk.length) {
      const digit = chunk[at] ?? 0;
      at += 1;
      length += (digit & 0x7f) * 128 ** digits;
      digits += 1;
      if (length > maxPacketBytes) return 'PACKET_TOO_LARGE';
      if (digit < 0x80) {
        body = length;
        digits = undefined;
      } else if (digits === lengthDigits) {
        return 'LENGTH_MALFORMED';
      }
    }
    return at;
  };

  return {
    take: (chunk) => {
      for (let at = 0; at < chunk.length;) {
        if (digits !== undefined) {
          const after = readLength(chunk, at);
          if (typeof after === 'string') return after;
          at = after;
        } else if (body > 0) {
          const step = Math.min(body, chunk.length - at);
          body -= step;
          at += step;
        } else {
          digits = 0;
          length = 0;
          pieces = 0;
          at += 1;
        }
      }
      pieces += 1;
      return pieces > maxPieces ? 'TOO_MANY_PIECES' : undefined;
    },
  };
};
