import { randomUUID } from 'node:crypto';
import { createBrowser, type Browser, type Shown } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openExternalProvider, type ExternalProviderOfTests } from '../testing/open-external-provider.js';
import { openLogin, type OpenedLogin } from '../testing/open-login.js';

const audience = 'urn:the-data-service';
const client = { clientId: 'fds', clientSecret: 'the secret of the service' };

let external: ExternalProviderOfTests;
let login: OpenedLogin;
let personUuid: string;

beforeAll(async () => {
  external = await openExternalProvider({ ...client, audience });
  login = await openLogin({
    OIDC_ISSUER_URL: external.issuer,
    OIDC_CLIENT_ID: client.clientId,
    OIDC_CLIENT_SECRET: client.clientSecret,
    OIDC_AUDIENCE: audience,
  });
  personUuid = randomUUID();
  await login.database.prisma.person.create({
    data: {
      uuid: personUuid,
      username: 'ann',
      ssoId: 'ann@company',
      tokensValidFrom: new Date(Date.now() - 60_000),
      memberships: { create: { uuid: randomUUID(), zoneUuid: login.rootZoneUuid, defaultZone: true } },
    },
  });
});
afterAll(async () => {
  await login?.close();
  await external?.close();
});

const outcomeOf = (token: string): Promise<unknown> =>
  login.authenticator.authenticate(`Bearer ${token}`).then(
    ({ username }) => username,
    (error: { code: string; details: { reason?: unknown } }) => `${error.code} ${String(error.details.reason)}`,
  );

const signIn = async (browser: Browser, ssoId: string): Promise<Shown> => {
  const page = await browser.visit(`${login.baseUrl}/openid/login`);
  expect(page.url.origin).toBe(external.issuer);
  const consent = await browser.submit(page, { prompt: 'login', login: ssoId, password: 'any' });
  return browser.submit(consent, { prompt: 'consent' });
};

describe('the external provider', () => {
  it('is not contacted before a person signs in there, and its failure is reported', async () => {
    const answer = await fetch(`${login.baseUrl}/openid/login`, { redirect: 'manual' });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'UNAVAILABLE']);
    expect(await outcomeOf(await external.sign({ sub: 'ann@company' }))).toBe('UNAVAILABLE undefined');
    external.serve([`${login.baseUrl}/openid/code`]);
    expect(await outcomeOf(await external.sign({ sub: 'ann@company' }))).toBe('ann');
  });

  it('signs people in, and its tokens identify them here', async () => {
    const done = await signIn(createBrowser(), 'ann@company');
    expect(done.status).toBe(200);
    const tokens = JSON.parse(done.text) as { access_token: string; id_token: string; token_type: string };
    expect(tokens).toMatchObject({ token_type: 'Bearer', id_token: expect.any(String) });
    expect(await outcomeOf(tokens.access_token)).toBe('ann');
    // the doors do not accept an ID token
    expect(await outcomeOf(tokens.id_token)).toMatch(/^UNAUTHENTICATED (audience|typ)$/);
  });

  it('may have people who are in no zone', async () => {
    const told = await signIn(createBrowser(), 'nobody@company');
    expect(told.status).toBe(403);
    expect(told.text).toContain('nobody@company');
    expect(await outcomeOf(await external.sign({ sub: 'nobody@company' }))).toBe('FORBIDDEN no-zone');
  });

  it('is notified when people sign out', async () => {
    const browser = createBrowser();
    await signIn(browser, 'ann@company');
    const out = await browser.visit(`${login.baseUrl}/openid/logout`);
    expect(out.url.origin).toBe(external.issuer);
  });

  it('may change its keys', async () => {
    const before = await external.sign({ sub: 'ann@company' });
    expect(await outcomeOf(before)).toBe('ann');
    await external.rotateKeys();
    const after = await external.sign({ sub: 'ann@company' });
    // jose loads the keys again for an unknown key, at most every ten seconds
    const realNow = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 10_000);
    try {
      expect(await outcomeOf(after)).toBe('ann');
    } finally {
      clock.mockRestore();
    }
  });
});

describe('its tokens', () => {
  const now = Math.floor(Date.now() / 1000);
  const ann = { sub: 'ann@company' };

  it.each([
    ['expired', { ...ann, exp: now - 60 }, 'at+jwt', 'UNAUTHENTICATED expired'],
    ['for another audience', { ...ann, aud: 'urn:other' }, 'at+jwt', 'UNAUTHENTICATED audience'],
    ['of another issuer', { ...ann, iss: 'http://evil.example' }, 'at+jwt', 'UNAUTHENTICATED malformed'],
    ['of another type', ann, 'logout+jwt', 'UNAUTHENTICATED typ'],
    ['ID tokens', { ...ann, nonce: 'n' }, 'JWT', 'UNAUTHENTICATED typ'],
    ['refresh tokens of Keycloak', { ...ann, typ: 'Refresh' }, 'JWT', 'UNAUTHENTICATED typ'],
    ['of nobody', { sub: '' }, 'at+jwt', 'UNAUTHENTICATED malformed'],
    ['without an end', { ...ann, exp: undefined }, 'at+jwt', 'UNAUTHENTICATED malformed'],
    [
      'from before all tokens of the person were revoked',
      { ...ann, iat: now - 3600 },
      'at+jwt',
      'UNAUTHENTICATED revoked',
    ],
    ['good', ann, 'at+jwt', 'ann'],
    ['good, as other issuers write them', { ...ann, jti: undefined, client_id: undefined, azp: 'x' }, 'JWT', 'ann'],
    ['good, for our own audience', { ...ann, aud: 'BASE/api' }, 'at+jwt', 'ann'],
  ])('%s', async (_, claims, typ, outcome) => {
    const aud = 'aud' in claims ? { aud: claims.aud.replace('BASE', login.baseUrl) } : {};
    expect(await outcomeOf(await external.sign({ ...claims, ...aud }, typ))).toBe(outcome);
  });

  it('are refused without a signature', async () => {
    const [, payload] = (await external.sign(ann)).split('.');
    const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    expect(await outcomeOf(`${header}.${payload}.`)).toMatch(/^UNAUTHENTICATED/);
  });

  it('are refused when the person is deactivated', async () => {
    const token = await external.sign(ann);
    expect(await outcomeOf(token)).toBe('ann');
    const setActive = async (active: boolean): Promise<void> => {
      await login.database.prisma.person.update({ where: { uuid: personUuid }, data: { active } });
      login.directory.forget();
    };
    await setActive(false);
    expect(await outcomeOf(token)).toBe('UNAUTHENTICATED inactive');
    await setActive(true);
  });
});
