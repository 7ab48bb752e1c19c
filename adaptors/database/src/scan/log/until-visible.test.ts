import { describe, expect, it } from '@jest/globals';
import { shows } from './until-visible.js';

const wrap = 2 ** 32;

describe('whether a snapshot shows a transaction', () => {
  it.each([
    ['10:20:10,15', 9, true],
    ['10:20:10,15', 10, false],
    ['10:20:10,15', 15, false],
    ['10:20:10,15', 16, true],
    ['10:20:', 20, false],
    // the 32-bit ids of the log have wrapped around
    [`${wrap + 5}:${wrap + 5}:`, 4, true],
    [`${wrap + 5}:${wrap + 5}:`, wrap - 1, true],
    [`${wrap - 1}:${wrap - 1}:`, 3, false],
    [`${wrap + 2 ** 31}:${wrap + 2 ** 31 + 1}:${wrap + 2 ** 31}`, -(2 ** 31), false],
  ])('%s, transaction %d: %s', (snapshot, xid, shown) => {
    expect(shows(snapshot, xid)).toBe(shown);
  });
});
