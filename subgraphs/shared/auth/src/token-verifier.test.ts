import { describe, beforeAll, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JSONWebKeySet, type JWTPayload } from 'jose';
import { createTokenVerifier } from './token-verifier.js';

const issuer = 'http://fds.example';
const audience = `${issuer}/api`;
const issuedAt = 1_800_000_000;
let time = issuedAt + 10;
const now = (): Date => new Date(time * 1000);

let privateKey: CryptoKey;
let keySet: JSONWebKeySet;
let reads = 0;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  privateKey = pair.privateKey;
  keySet = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }] };
});

const claims = {
  iss: issuer,
  aud: audience,
  sub: 'person',
  client_id: 'admin',
  iat: issuedAt,
  exp: issuedAt + 3600,
  jti: 'token-1',
  scope: 'api',
};

const sign = (payload: JWTPayload = claims, header: { typ?: string; kid?: string } = {}): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1', ...header }).sign(privateKey);

const createVerifier = () =>
  createTokenVerifier({
    issuer,
    audiences: [audience],
    keys: () => {
      reads += 1;
      return Promise.resolve(keySet);
    },
    now,
  });

const without = (name: keyof typeof claims): JWTPayload => {
  const { [name]: _removed, ...rest } = claims;
  return rest;
};

describe('a token', () => {
  it('gives its claims when it is valid', async () => {
    const { aud: _aud, ...expected } = claims;
    expect(await createVerifier().verify(await sign())).toEqual(expected);
  });

  it.each<[string, () => Promise<string>, string]>([
    ['that has expired', () => sign({ ...claims, exp: issuedAt + 5 }), 'expired'],
    ['for another audience', () => sign({ ...claims, aud: 'urn:other' }), 'audience'],
    ['of another issuer', () => sign({ ...claims, iss: 'http://elsewhere' }), 'issuer'],
    ['that is not an access token', () => sign(claims, { typ: 'JWT' }), 'typ'],
    ['signed with an unknown key', () => sign(claims, { kid: 'k2' }), 'signature'],
    ['with changed claims', async () => swapBody(await sign(), await sign({ ...claims, sub: 'x' })), 'signature'],
    ['without signature', async () => `${(await sign()).split('.').slice(0, 2).join('.')}.`, 'signature'],
    ['without subject', () => sign(without('sub')), 'malformed'],
    ['without client', () => sign(without('client_id')), 'malformed'],
    ['without expiry', () => sign(without('exp')), 'malformed'],
    ['that is text', () => Promise.resolve('nonsense'), 'malformed'],
    [
      'of algorithm none',
      () => Promise.resolve(`${base64('{"alg":"none","typ":"at+jwt"}')}.${base64('{}')}.`),
      'malformed',
    ],
    ['that is empty', () => Promise.resolve(''), 'malformed'],
  ])('is refused %s', async (_name, make, reason) => {
    await expect(createVerifier().verify(await make())).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      details: { reason },
    });
  });

  it('is verified once, and refused after its expiry', async () => {
    const verifier = createVerifier();
    const token = await sign();
    await verifier.verify(token);
    const readsSoFar = reads;
    await verifier.verify(token);
    expect(reads).toBe(readsSoFar);
    time = issuedAt + 3600;
    await expect(verifier.verify(token)).rejects.toMatchObject({ details: { reason: 'expired' } });
    time = issuedAt + 10;
  });

  it('cannot be judged while the keys cannot be read', async () => {
    const keys = () => Promise.reject(new Error('no database'));
    const verifier = createTokenVerifier({ issuer, audiences: [audience], keys, now });
    await expect(verifier.verify(await sign())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64url');

const swapBody = (token: string, other: string): string => {
  const [head, , signature] = token.split('.');
  return [head, other.split('.')[1], signature].join('.');
};
