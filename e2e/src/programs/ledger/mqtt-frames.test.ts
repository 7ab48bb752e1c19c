import { describe, expect, it } from '@jest/globals';
import { createFrameReader, readPublication, writeCopy, writePuback } from './mqtt-frames.js';

/** PUBLISH, QoS 1, topic `a/b`, packet 258. */
const publication = (payload: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from([0, 3, 0x61, 0x2f, 0x62, 1, 2]), payload]);
  const length = body.length < 128 ? [body.length] : [(body.length % 128) | 0x80, Math.floor(body.length / 128)];
  return Buffer.concat([Buffer.from([0x32, ...length]), body]);
};

describe('MQTT frames', () => {
  it('are found regardless of how the bytes are divided', () => {
    const [short, long] = [publication(Buffer.from('x')), publication(Buffer.alloc(1000, 'y'))];
    const bytes = Buffer.concat([short, writePuback(258), long]);
    for (const size of [1, 2, 7, 500, bytes.length]) {
      const read = createFrameReader();
      const frames = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        read(bytes.subarray(index * size, (index + 1) * size)),
      ).flat();
      expect(frames).toEqual([short, writePuback(258), long]);
    }
  });

  it('identify a publication', () => {
    expect(readPublication(publication(Buffer.from('{}')))).toEqual({
      topic: 'a/b',
      packetId: 258,
      payload: Buffer.from('{}'),
    });
    expect(readPublication(writePuback(1))).toBeUndefined();
  });

  it('copy a publication without an acknowledgement', () => {
    const copy = writeCopy({ topic: 'a/b', packetId: 1, payload: Buffer.alloc(200, 'z') });
    expect([copy[0], copy[1], copy[2]]).toEqual([0x30, (205 % 128) | 0x80, 1]);
    expect(copy.subarray(3)).toEqual(Buffer.from(`\0\x03a/b${'z'.repeat(200)}`));
    expect(createFrameReader()(copy)).toEqual([copy]);
  });
});
