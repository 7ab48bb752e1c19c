import { describe, expect, it } from '@jest/globals';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { joinWrites } from './join-writes.js';

/** A stream that notes the pieces that leave it. */
const openPieces = (): { readonly pieces: string[]; readonly write: (text: string) => void } => {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      pieces.push(chunk);
      done();
    },
    writev: (chunks, done) => {
      pieces.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  const join = joinWrites(stream);
  return {
    pieces,
    write: (text) => {
      join();
      stream.write(text);
    },
  };
};

describe('joined writes', () => {
  it('leave in one piece when they follow each other, in their order', async () => {
    const { pieces, write } = openPieces();
    write('BEGIN ');
    write('SELECT ');
    await Promise.resolve();
    write('INSERT ');
    expect(pieces).toEqual([]);
    await nextTurn();
    expect(pieces).toEqual(['BEGIN SELECT INSERT ']);
  });

  it('leave before the next turn, without a further write', async () => {
    const { pieces, write } = openPieces();
    write('BEGIN');
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(pieces).toEqual(['BEGIN']);
  });

  it('form a new piece after a wait', async () => {
    const { pieces, write } = openPieces();
    write('SELECT');
    await nextTurn();
    write('INSERT ');
    write('COMMIT');
    await nextTurn();
    expect(pieces).toEqual(['SELECT', 'INSERT COMMIT']);
  });
});
