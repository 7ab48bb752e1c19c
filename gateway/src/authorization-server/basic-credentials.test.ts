import { describe, expect, it } from '@jest/globals';
import { basicHeader, chooseClient, readBasicCredentials } from './basic-credentials.js';

const header = (text: string | Buffer): string => `Basic ${Buffer.from(text).toString('base64')}`;
const readings = (text: string | Buffer): readonly string[] =>
  readBasicCredentials(header(text)).map(({ id, secret }) => `${id}:${secret}`);

describe('a Basic header', () => {
  it.each<[sent: string | Buffer, meant: readonly string[]]>([
    ['admin:secret', ['admin:secret']],
    ['admin:a+b', ['admin:a+b', 'admin:a b']],
    ['admin:100%', ['admin:100%']],
    ['admin:100%41', ['admin:100%41', 'admin:100A']],
    ['admin:p@ss: word', ['admin:p@ss: word']],
    ['admin:ab%2Fcd-Pass1!', ['admin:ab%2Fcd-Pass1!', 'admin:ab/cd-Pass1!']],
    ['admin:%27%28%29%2A%7E', ['admin:%27%28%29%2A%7E', "admin:'()*~"]],
    ['my+app:a/b', ['my+app:a/b', 'my app:a/b']],
    ['a%3Ab:c', ['a%3Ab:c', 'a:b:c']],
    ['ann:%ff', ['ann:%ff']],
    ['ann:é', ['ann:é']],
    ['ann:%C3%A9', ['ann:%C3%A9', 'ann:é']],
    [Buffer.from('ann:é', 'latin1'), ['ann:é']],
    ['admin:', ['admin:']],
  ])('%j means %j', (sent, meant) => {
    expect(readings(sent)).toEqual(meant);
  });

  it.each(['Bearer abc', 'Basic', 'Basic ???', header('no colon'), ''])('%j names no client', (text) => {
    expect(readBasicCredentials(text)).toEqual([]);
  });

  it('has a reading with the secret in every encoding of every printable secret', () => {
    const printable = Array.from({ length: 95 }, (_, at) => String.fromCodePoint(32 + at));
    // every character after every character that has a meaning in form encoding
    for (const secret of printable.flatMap((one) => ['', '%', '%4', '+', ' '].map((start) => `x${start}${one}1`))) {
      const strict = Array.from(secret, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
      const form = new URLSearchParams({ s: secret }).toString().slice(2);
      for (const sent of [secret, encodeURIComponent(secret), form, strict]) {
        expect(readBasicCredentials(header(`id:${sent}`)).map((one) => one.secret)).toContain(secret);
      }
    }
  });
});

describe('the client that a header names', () => {
  const secrets = new Map([
    ['admin', 'a'],
    ['my app', 's'],
    ['a+b', 'plus'],
    ['a b', 'blank'],
  ]);
  const checks = {
    isClient: async (id: string) => secrets.has(id),
    isSecret: async ({ id, secret }: { id: string; secret: string }) => secrets.get(id) === secret,
  };
  it.each([
    ['admin:a', 'admin', ['a']],
    ['admin:a%2Bb', 'admin', ['a%2Bb', 'a+b']],
    ['my+app:s', 'my app', ['s']],
    ['my%20app:%73', 'my app', ['s']],
    ['a+b:plus', 'a+b', ['plus']],
    ['a+b:blank', 'a b', ['blank']],
    ['a+b:wrong', 'a b', ['wrong']],
    ['no+client:secret', 'no+client', ['secret']],
  ])('by %j is %j', async (sent, id, tried) => {
    expect(await chooseClient(readBasicCredentials(header(sent)), checks)).toEqual({ id, secrets: tried });
  });

  it('is passed on in the form that the provider reads', () => {
    expect(basicHeader({ id: 'a b', secret: 'x%+é' })).toBe(header('a%20b:x%25%2B%C3%A9'));
  });
});
