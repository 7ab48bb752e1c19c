// The part of MQTT 3.1.1 that is necessary to distinguish packets and to change publications.

/** A packet in its wire format. */
export type Frame = Buffer;

/** A publication with QoS 1. */
export interface Publication {
  readonly topic: string;
  readonly packetId: number;
  readonly payload: Buffer;
}

const publish = 0x30;
const puback = 0x40;
const qosMask = 0x06;

/** Start and length of the body; undefined while the header is incomplete. */
const readHead = (bytes: Buffer): { readonly start: number; readonly length: number } | undefined => {
  let length = 0;
  for (let at = 1; at <= 4; at += 1) {
    const digit = bytes[at];
    if (digit === undefined) return undefined;
    length += (digit & 0x7f) * 128 ** (at - 1);
    if (digit < 0x80) return { start: at + 1, length };
  }
  throw new RangeError('the length of an MQTT packet takes more than four bytes');
};

/** Divides a stream of bytes into packets. Incomplete packets wait for the next call. */
export const createFrameReader = (): ((chunk: Buffer) => Frame[]) => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    for (let head = readHead(rest); head !== undefined; head = readHead(rest)) {
      const end = head.start + head.length;
      if (rest.length < end) break;
      frames.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    return frames;
  };
};

/** Reads a publication of QoS 1; undefined for every other packet. */
export const readPublication = (frame: Frame): Publication | undefined => {
  const first = frame[0] ?? 0;
  const head = readHead(frame);
  if ((first & 0xf0) !== publish || (first & qosMask) !== 0x02 || head === undefined) return undefined;
  const topicEnd = head.start + 2 + frame.readUInt16BE(head.start);
  return {
    topic: frame.toString('utf8', head.start + 2, topicEnd),
    packetId: frame.readUInt16BE(topicEnd),
    payload: frame.subarray(topicEnd + 2),
  };
};

const writeLength = (length: number): number[] => {
  const digits: number[] = [];
  for (let rest = length; ;) {
    const digit = rest % 128;
    rest = Math.floor(rest / 128);
    if (rest === 0) return [...digits, digit];
    digits.push(digit | 0x80);
  }
};

/** A copy of the publication with QoS 0, so that no acknowledgement for it is expected or sent. */
export const writeCopy = ({ topic, payload }: Publication): Frame => {
  const name = Buffer.from(topic);
  const head = Buffer.from([publish, ...writeLength(2 + name.length + payload.length), name.length >> 8, name.length]);
  return Buffer.concat([head, name, payload]);
};

/** The broker's acknowledgement of a publication. */
export const writePuback = (packetId: number): Frame => Buffer.from([puback, 2, packetId >> 8, packetId]);
