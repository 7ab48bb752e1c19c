import { describe, expect, it } from '@jest/globals';
import { soundProperties } from './invalid-event.js';

const unknown = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ pointer: `/json/m${n}`, code: 'UNKNOWN_PROPERTY', detail: 'unknown' }));
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, 1]));

describe('sound properties of an event that is not valid', () => {
  it('are those that no error is about', () => {
    const errors = [...unknown(2), { pointer: '/json/a~1b', code: 'INVALID_TYPE', detail: 'wrong' }];
    const text = JSON.stringify({ json: { ...members(2), 'A/b': 1, name: 'x', 'a~b': 2 } });
    expect(soundProperties(text, errors)).toEqual({ name: 'x', 'a~b': 2 });
  });

  it('are none when the list of errors is full: the members after the last error may be faulty too', () => {
    const text = JSON.stringify({ json: { ...members(5_000), name: 'x' } });
    expect(soundProperties(text, unknown(1_000))).toEqual({});
    expect(Object.keys(soundProperties(text, unknown(999)))).toHaveLength(4_002);
  });
});
