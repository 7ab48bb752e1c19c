import { describe, expect, it } from '@jest/globals';
import { readArguments } from './read-arguments.js';

describe('readArguments', () => {
  it('has defaults', () => {
    expect(readArguments([], 7_000_042)).toMatchObject({
      events: 100_000,
      kills: 60,
      queued: 100_000,
      rounds: 5,
      seed: 42,
      broker: 'EMBEDDED',
    });
  });

  it('reads the given options', () => {
    const words = '--events 1000000 --kills 300 --seed 5 --broker mosquitto --json out.json'.split(' ');
    expect(readArguments(words, 0)).toMatchObject({
      events: 1_000_000,
      kills: 300,
      seed: 5,
      broker: 'MOSQUITTO',
      jsonFile: 'out.json',
    });
  });

  it.each([['--events'], ['--events', 'many'], ['--broker', 'none'], ['--what', '1']])('refuses %s %s', (...words) => {
    expect(() => readArguments(words, 0)).toThrow();
  });
});
