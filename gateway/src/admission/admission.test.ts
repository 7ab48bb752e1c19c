import { AppError } from '@fds/errors';
import type { IdentifiedCaller } from '@fds/identity';
import { describe, expect, it } from '@jest/globals';
import { allPermitted } from '../testing/sample-subgraphs.js';
import { createAdmission } from './admission.js';
import { createRateLimiter } from './rate-limiter.js';

const claims = { iss: 'i', sub: 's', client_id: 'c', iat: 1, exp: 2, jti: 'one' };
const refused: string[] = [];
let limited = 0;

/** Tokens `one` and `two` are valid. */
const identify = async (header: string | undefined): Promise<IdentifiedCaller> => {
  if (header !== 'one' && header !== 'two') throw new AppError('UNAUTHENTICATED', 'no');
  return { principal: allPermitted, claims: { ...claims, jti: header } };
};
const open = () =>
  createAdmission({
    authenticator: { identify },
    rateLimiter: createRateLimiter(2, () => new Date(0)),
    onRefused: ({ code }, { ip }) => refused.push(`${code} ${ip}`),
    onRateLimited: () => (limited += 1),
  });

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'admitted',
    (error: unknown) => (error as AppError).code,
  );

describe('admission', () => {
  it('counts requests by token, and one caller at its limit does not affect others', async () => {
    const { admit } = open();
    const headers: Record<string, string> = {};
    const reply = { header: (name: string, value: string) => (headers[name] = value) };
    expect(await codeOf(admit('one', { ip: 'a' }, reply))).toBe('admitted');
    expect(headers).toEqual({ 'ratelimit-policy': '"token";q=2;w=1', ratelimit: '"token";r=1;t=1' });
    expect(await codeOf(admit('one', { ip: 'b' }))).toBe('admitted');
    limited = 0;
    expect(await codeOf(admit('one', { ip: 'b' }, reply))).toBe('RATE_LIMITED');
    expect(limited).toBe(1);
    expect(headers.ratelimit).toBe('"token";r=0;t=1');
    expect(await codeOf(admit('two', { ip: 'a' }))).toBe('admitted');
  });

  it('counts further work of a request by its token', async () => {
    const { admit, admitMore } = open();
    expect(await codeOf(admit('one', { ip: 'a' }))).toBe('admitted');
    expect(await codeOf(admitMore('one', 2))).toBe('RATE_LIMITED');
    expect(await codeOf(admitMore('two', 2))).toBe('admitted');
    expect(await codeOf(admit('two', { ip: 'a' }))).toBe('RATE_LIMITED');
    expect(await codeOf(admitMore('x', 1))).toBe('UNAUTHENTICATED');
  });

  it('counts requests without a valid token by address, and does not count them against the tokens of that address', async () => {
    const { admit } = open();
    refused.length = 0;
    const answers = [];
    for (const header of [undefined, 'x', 'y']) answers.push(await codeOf(admit(header, { ip: 'a' })));
    expect(answers).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED', 'RATE_LIMITED']);
    expect(refused).toEqual(['UNAUTHENTICATED a', 'UNAUTHENTICATED a']);
    expect(await codeOf(admit('x', { ip: 'b' }))).toBe('UNAUTHENTICATED');
    expect(await codeOf(admit('one', { ip: 'a' }))).toBe('admitted');
  });
});
