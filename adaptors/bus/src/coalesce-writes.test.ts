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
  it('passes on what one turn writes in one piece, and that of the next in another', async () => {
    const { stream, calls } = openStream();
    stream.write('a');
    stream.write('b');
    expect(calls).toEqual([]);
    await nextTurn();
    stream.write('c');
    await nextTurn();
    expect(calls).toEqual([['a', 'b'], ['c']]);
  });

  it('keeps callbacks, and writes what is left before the end', async () => {
    const { stream, calls } = openStream();
    const written = new Promise((resolve) => {
      stream.write('a', 'utf8', resolve);
    });
    stream.end('b');
    await once(stream, 'finish');
    await written;
    expect(calls.flat()).toEqual(['a', 'b']);
  });

  it('goes on under corks of others', async () => {
    const { stream, calls } = openStream();
    stream.cork();
    stream.write('a');
    await nextTurn();
    expect(calls).toEqual([]);
    stream.uncork();
    expect(calls.flat()).toEqual(['a']);
  });
});
