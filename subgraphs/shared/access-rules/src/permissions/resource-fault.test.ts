import { describe, expect, it } from '@jest/globals';
import { resourceFault } from './resource-fault.js';

describe('a resource', () => {
  it.each(['/*', '/zones', '/api/zones', '/api/zones/?/users/*', '/zones/*/issues', '/permissions/a%20b'])(
    'may be %j',
    (resource) => expect(resourceFault(resource)).toBeUndefined(),
  );

  it.each([
    '',
    '/',
    '/api',
    'zones',
    '//zones',
    '/zones/',
    '/zones/a*',
    '/zones/??',
    '/a b',
    '/a\u0000',
    `/${'a'.repeat(1024)}`,
    '/a'.repeat(25),
    '/*/a/*/a/*/a/*/a/*',
  ])('may not be %j', (resource) => expect(resourceFault(resource)).toEqual(expect.any(String)));
});
