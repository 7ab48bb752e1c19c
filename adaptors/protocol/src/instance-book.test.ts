import { describe, expect, it } from '@jest/globals';
import { emptyInstanceBook, heardInstance, type InstanceBook, unnamedInstance } from './instance-book.js';

/** The verdicts on processes that report in this order. */
const verdicts = (...instances: readonly (string | undefined)[]): readonly (string | undefined)[] => {
  let book: InstanceBook = emptyInstanceBook;
  return instances.map((instance) => {
    const heard = heardInstance(book, instance);
    ({ book } = heard);
    return heard.by;
  });
};

describe("the book of an adaptor's processes", () => {
  it('accepts a process that reports again after a lost connection, and a process that follows another one', () => {
    expect(verdicts('a', 'a', 'b', 'b', 'c')).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it('supersedes a process that returns after another one took over', () => {
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

  it('supersedes a named process when a process without a name has taken over', () => {
    const none = undefined;
    expect(verdicts('a', none, 'a', none, 'a')).toEqual([none, none, unnamedInstance, none, unnamedInstance]);
    expect(verdicts(none, 'a', none, 'a', none)).toEqual([none, none, none, unnamedInstance, none]);
    expect(verdicts(none, none, 'a', 'a')).toEqual([none, none, none, none]);
  });

  it('remembers a limited number of processes', () => {
    let book = emptyInstanceBook;
    for (let process = 0; process < 100; process += 1) ({ book } = heardInstance(book, String(process)));
    expect(book.superseded).toHaveLength(16);
  });
});
