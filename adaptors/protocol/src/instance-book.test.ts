import { describe, expect, it } from '@jest/globals';
import { emptyInstanceBook, heardInstance, type InstanceBook, unnamedInstance } from './instance-book.js';

/** The verdicts on processes that report one after the other. */
const verdicts = (...instances: readonly (string | undefined)[]): readonly (string | undefined)[] => {
  let book: InstanceBook = emptyInstanceBook;
  return instances.map((instance) => {
    const heard = heardInstance(book, instance);
    ({ book } = heard);
    return heard.by;
  });
};

describe('the processes of an adaptor', () => {
  it('may report again after a lost connection, and follow one another', () => {
    expect(verdicts('a', 'a', 'b', 'b', 'c')).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it('are superseded when they return after another one', () => {
    expect(verdicts('a', 'b', 'a', 'b', 'a', 'c', 'b')).toEqual([
      undefined,
      undefined,
      'b',
      undefined,
      'b',
      undefined,
      'c',
    ]);
  });

  it('are superseded by a process that has no name, which cannot be asked to end', () => {
    const none = undefined;
    expect(verdicts('a', none, 'a', none, 'a')).toEqual([none, none, unnamedInstance, none, unnamedInstance]);
    expect(verdicts(none, 'a', none, 'a', none)).toEqual([none, none, none, unnamedInstance, none]);
    expect(verdicts(none, none, 'a', 'a')).toEqual([none, none, none, none]);
  });

  it('are remembered in a bounded number', () => {
    let book = emptyInstanceBook;
    for (let process = 0; process < 100; process += 1) ({ book } = heardInstance(book, String(process)));
    expect(book.superseded).toHaveLength(16);
  });
});
