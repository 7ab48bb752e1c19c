import { describe, expect, it } from '@jest/globals';
import { chooseMediaType } from './accept.js';

const offered = ['text/plain', 'application/json'] as const;

describe('chooseMediaType', () => {
  it.each([
    [undefined, 'text/plain'],
    ['', 'text/plain'],
    ['*/*', 'text/plain'],
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['image/png, application/*;q=0.5', 'application/json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/plain'],
  ])('for %p is %s', (accept, chosen) => {
    expect(chooseMediaType(accept, offered)).toBe(chosen);
  });

  it.each(['image/png', 'application/json;q=0', 'text/html, application/xml;q=0.9'])('refuses %s', (accept) => {
    expect(() => chooseMediaType(accept, offered)).toThrow('offered: text/plain, application/json');
  });
});
