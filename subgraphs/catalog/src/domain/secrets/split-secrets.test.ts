import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { secretsNamed } from './secret-names.js';
import { noSecrets, splitSecrets, withSecrets } from './split-secrets.js';

const split = (metadata: JsonObject, names: readonly string[] = [], kept = noSecrets) =>
  splitSecrets(metadata, secretsNamed(names), kept);

describe('places of secrets', () => {
  it.each<[metadata: JsonObject, names: readonly string[], pointers: readonly string[]]>([
    [
      { password: 'p', secret: 's', token: 't', clientSecret: 'c' },
      [],
      ['/password', '/secret', '/token', '/clientSecret'],
    ],
    [{ 'database.password': 'p', 'a.b.clientSecret': 'c' }, [], ['/database.password', '/a.b.clientSecret']],
    [{ database: { password: 'p', user: 'u' } }, [], ['/database/password']],
    [{ list: [[{ token: 't' }], { x: { token: 't' } }] }, [], ['/list/0/0/token', '/list/1/x/token']],
    [{ PASSWORD: 'p', clientsecret: 'c', 'x.Secret': 's' }, [], ['/PASSWORD', '/clientsecret', '/x.Secret']],
    [{ passwords: 'p', mypassword: 'p', secretary: 's', tokenUri: 'u', 'token.uri': 'u' }, [], []],
    [{ token: 0, secret: false, password: '', clientSecret: null }, [], ['/token', '/secret', '/password']],
    [{ token: { a: 1 }, secret: [1] }, [], ['/token', '/secret']],
    [{ '': { password: 'p' }, 'a/b': { '~token': 1, token: 1 } }, [], ['//password', '/a~1b/token']],
    [{ apiKey: 1, x: { APIKEY: 1 }, 'y.apiKey': 1, apiKeys: 1 }, ['apiKey'], ['/apiKey', '/x/APIKEY', '/y.apiKey']],
    [
      { headers: [{ name: 'n', value: 'v' }], value: 1, 'headers.value': 2 },
      ['headers.value'],
      ['/headers/0/value', '/headers.value'],
    ],
  ])('of %j with %j', (metadata, names, pointers) => {
    const { metadata: masked, secrets, unknown } = split(metadata, names);
    expect([[...secrets.keys()], unknown]).toEqual([pointers, []]);
    expect(withSecrets(masked, secrets)).toEqual(metadata);
    const kept = new Set(pointers);
    expect(split(masked, names, secrets)).toEqual({ metadata: masked, secrets, unknown: [], kept });
  });
});

describe('masks', () => {
  it('keep the value at the same place, also when its name is no longer secret', () => {
    const { metadata, secrets } = split({ apiKey: 'k', list: [{ apiKey: 'l' }] }, ['apiKey']);
    const kept = new Set(['/apiKey', '/list/0/apiKey']);
    expect(split(metadata, [], secrets)).toEqual({ metadata, secrets, unknown: [], kept });
    expect(split({ list: [{ apiKey: '***' }] }, [], secrets).secrets).toEqual(new Map([['/list/0/apiKey', 'l']]));
  });

  it('keep no value at another place', () => {
    const { secrets } = split({ password: 'p' });
    expect(split({ other: { password: '***' }, note: '***' }, [], secrets)).toEqual({
      metadata: { other: { password: '***' }, note: '***' },
      secrets: new Map(),
      unknown: ['/other/password'],
      kept: new Set(),
    });
  });

  it('keep their values inside an object that becomes a secret', () => {
    const { metadata, secrets } = split({ login: { user: 'u', password: 'p' } });
    const grown = split(metadata, ['login'], secrets);
    expect(grown.metadata).toEqual({ login: '***' });
    expect(withSecrets(grown.metadata, grown.secrets)).toEqual({ login: { user: 'u', password: 'p' } });
  });

  it('cannot change the prototype', () => {
    const metadata = JSON.parse('{"__proto__":{"password":"p"},"constructor":{"token":"t"}}') as JsonObject;
    const { metadata: masked, secrets } = split(metadata);
    expect([...secrets.keys()]).toEqual(['/__proto__/password', '/constructor/token']);
    expect(withSecrets(masked, secrets)).toEqual(metadata);
  });
});
