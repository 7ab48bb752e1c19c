import { expect, it } from '@jest/globals';
import { encodeBasicCredentials } from './encode-basic-credentials.js';

const clients = new Set(['admin', 'my app', 'a+b', 'a b', 'ann@example.org']);
const isClient = async (id: string): Promise<boolean> => clients.has(id);
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
  ['my app:secret', 'my%20app:secret'],
  ['my+app:secret', 'my+app:secret'],
  ['my+app:a+b', 'my+app:a+b'],
  ['my+app:a/b', 'my%2Bapp:a%2Fb'],
  ['a+b:secret', 'a%2Bb:secret'],
  ['no+client:secret', 'no%2Bclient:secret'],
])('credentials %j are passed on as %j', async (given, expected) => {
  expect(await encodeBasicCredentials(basic(given), isClient)).toBe(basic(expected));
});

it.each(['Bearer abc', 'Basic', 'Basic ???', basic('no colon'), ''])('%j stays unchanged', async (header) => {
  expect(await encodeBasicCredentials(header, isClient)).toBe(header);
});
