import { expect, it } from '@jest/globals';
import { encodeBasicCredentials } from './encode-basic-credentials.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  ['admin:secret', 'admin:secret'],
  ['admin:a+b', 'admin:a%2Bb'],
  ['admin:100%', 'admin:100%25'],
  ['admin:p@ss: word', 'admin:p%40ss%3A%20word'],
  ['admin:a%2Bb', 'admin:a%2Bb'],
  ['admin:a%2Bb+c', 'admin:a%2Bb+c'],
  ['admin:a%2B b', 'admin:a%252B%20b'],
  ['ann@example.org:é', 'ann%40example.org:%C3%A9'],
  ['admin:', 'admin:'],
])('credentials %j go on as %j', (given, expected) => {
  expect(encodeBasicCredentials(basic(given))).toBe(basic(expected));
});

it.each(['Bearer abc', 'Basic', 'Basic ???', basic('no colon'), ''])('%j stays unchanged', (header) => {
  expect(encodeBasicCredentials(header)).toBe(header);
});
