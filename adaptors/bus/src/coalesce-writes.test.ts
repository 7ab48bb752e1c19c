import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { coalesceWrites } from './coalesce-writes.js';

const openStream = () => {
  const calls: string[][] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      calls.push([chunk]);
      done();
    },
    writev: (chunks, done) => {
      calls.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  coalesceWrites(stream);
  return { stream, calls };
};

describe('coalesceWrites', () => {
  it('sends the writes of one turn in one piece, and those of the next turn in another', async () => {
    const { stream, calls } = openStream();
    stream.write('a');
    stream.write('b');
    expect(calls).toEqual([]);
    await nextTurn();
    stream.write('c');
    await nextTurn();
    expect(calls).toEqual([['a', 'b'], ['c']]);
  });

  it('calls every callback, and writes the remaining data before the stream ends', async () => {
    const { stream, calls } = openStream();
    const written = new Promise((resolve) => {
      stream.write('a', 'utf8', resolve);
    });
    stream.end('b');
    await once(stream, 'finish');
    await written;
    expect(calls.flat()).toEqual(['a', 'b']);
  });

  it('works when other code has corked the stream', async () => {
    const { stream, calls } = openStream();
    stream.cork();
    stream.write('a');
    await nextTurn();
    expect(calls).toEqual([]);
    stream.uncork();
    expect(calls.flat()).toEqual(['a']);
  });
});
