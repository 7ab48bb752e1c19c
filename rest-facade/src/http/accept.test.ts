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
    ['application/json, text/plain', 'text/plain'],
    ['text/plain;q=0.5, application/json', 'application/json'],
    ['text/plain;q=0.5, application/json;q=0.4', 'text/plain'],
    ['*/*, text/plain;q=0.1', 'application/json'],
    ['text/*;q=0.2, */*;q=0.1', 'text/plain'],
    ['*/*, text/plain;q=0', 'application/json'],
    ['text/plain; Q=0.3, application/json; q=1.000', 'application/json'],
  ])('for %p is %s', (accept, chosen) => {
    expect(chooseMediaType(accept, offered)).toBe(chosen);
  });

  it.each([
    'image/png',
    'application/json;q=0',
    'text/html, application/xml;q=0.9',
    '*/*;q=0',
    '*/*;q=0.0, text/plain;q=0',
  ])('refuses %s', (accept) => {
    expect(() => chooseMediaType(accept, offered)).toThrow('offered: text/plain, application/json');
  });
});
