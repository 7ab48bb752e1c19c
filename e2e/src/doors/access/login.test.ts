import { createBrowser, eventually, type Browser } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKeyPair, SignJWT } from 'jose';
import { requireStatus, type CreatedAdaptor } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { exchange, type RawAnswer } from '../../harness/exchange.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { doorOf, openDoors, type Doors } from '../open-doors.js';
import { socketEnd } from '../socket-end.js';
import { uniqueName } from '../unique-name.js';

const leftovers = createLeftovers();
const origin = 'https://console.example';
let doors: Doors;
beforeAll(async () => {
  doors = await openDoors(leftovers, { FDS_CORS_ORIGINS: origin, FDS_RATE_LIMIT: '100000' });
}, 120_000);
afterAll(() => leftovers.dispose(), 120_000);

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

const signIn = async (browser: Browser, username: 'admin' | 'dgs'): Promise<Tokens> => {
  const page = await browser.visit(`${doors.service.baseUrl}/openid/login`);
  const done = await browser.submit(page, { username, password: doors.service.passwords[username] });
  expect(done.status).toBe(200);
  return JSON.parse(done.text) as Tokens;
};

describe('a person', () => {
  it('signs in with a browser, and is the same user as with client credentials', async () => {
    const { access_token: token } = await signIn(createBrowser(), 'dgs');
    const { body } = requireStatus(await doorOf(doors.service, token).rest('GET', '/token'), 200);
    const other = requireStatus(await doors.dgs.rest('GET', '/token'), 200).body;
    expect(body).toMatchObject({ clientId: 'fds-web', sub: other['sub'], zones: other['zones'] });
    requireStatus(await doorOf(doors.service, token).rest('GET', '/domains'), 200);
  });

  it('has no access at any door after signing out', async () => {
    const browser = createBrowser();
    const { access_token: token } = await signIn(browser, 'dgs');
    expect((await browser.visit(`${doors.service.baseUrl}/openid/logout`)).status).toBe(200);
    expect((await doorOf(doors.service, token).rest('GET', '/domains')).status).toBe(401);
    expect((await doorOf(doors.service, token).graphql('{ __typename }')).status).toBe(401);
  });
});

describe('the addresses below /api', () => {
  /**
   * Signs in through the pages of the provider. Every answer of the addresses is validated against the OpenAPI
   * document.
   */
  const signInBy = async (query: string): Promise<RawAnswer<Readonly<Record<string, unknown>>>> => {
    const { baseUrl, passwords } = doors.service;
    const browser = createBrowser();
    const login = `${baseUrl}/api/openid/login${query}`;
    requireStatus(await exchange(login), 302);
    const begun = await browser.visit(login, `${baseUrl}/oauth2`);
    const cookie = String(begun.headers.get('set-cookie')).split(';', 1)[0] ?? '';
    const page = await browser.visit(String(begun.headers.get('location')));
    const back = await browser.submit(page, { username: 'dgs', password: passwords.dgs }, `${baseUrl}/api/openid/code`);
    return exchange(String(back.headers.get('location')), { headers: { cookie } });
  };

  it('return the tokens, or redirect with a code that can be exchanged once', async () => {
    const { service, anyone } = doors;
    const { body } = requireStatus(await signInBy(''), 200);
    requireStatus(await doorOf(service, String(body['access_token'])).rest('GET', '/domains'), 200);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const kind of ['json', 'form'] as const) {
      const redirect = encodeURIComponent(`${service.baseUrl}/docs`);
      const led = requireStatus(await signInBy(`?redirect_uri=${redirect}&state=mine`), 302);
      const target = new URL(String(led.headers['location']));
      expect([target.pathname, target.searchParams.get('state')]).toEqual(['/docs', 'mine']);
      const code = target.searchParams.get('code') ?? '';
      const sent = kind === 'json' ? { json: { code } } : { headers: form, text: `code=${encodeURIComponent(code)}` };
      const post = () => anyone.call<Tokens>('/api/openid/code', { method: 'POST', ...sent });
      const { access_token: token } = requireStatus(await post(), 200).body;
      requireStatus(await doorOf(service, token).rest('GET', '/domains'), 200);
      requireStatus(await post(), 400);
    }
  });

  it('redirect after signing out, by either name of the parameter', async () => {
    const { anyone, service } = doors;
    requireStatus(await anyone.call('/api/openid/logout'), 200);
    for (const name of ['redirect_uri', 'post_logout_redirect_uri']) {
      const query = new URLSearchParams({ [name]: `${service.baseUrl}/docs` }).toString();
      requireStatus(await anyone.call(`/api/openid/logout?${query}`), 302);
    }
  });

  it('refuse other redirect targets, unknown sign-ins, and other methods', async () => {
    const { anyone } = doors;
    const elsewhere = new URLSearchParams({ redirect_uri: 'https://evil.example/' }).toString();
    requireStatus(await anyone.call(`/api/openid/login?${elsewhere}`), 400);
    requireStatus(await anyone.call(`/api/openid/logout?${elsewhere}`), 400);
    requireStatus(await anyone.call('/api/openid/code?code=a&state=b'), 400);
    for (const path of ['/openid/login', '/openid/code', '/openid/logout']) {
      const { status, headers } = await anyone.call(`/api${path}`, { method: 'DELETE' });
      expect([path, status, headers['allow']]).toEqual([path, 405, expect.stringContaining('GET')]);
    }
  });

  it('are listed by GET /endpoints, without a permission', async () => {
    const { body } = await doors.dgs.rest<{ readonly endpoints: readonly Readonly<Record<string, unknown>>[] }>(
      'GET',
      '/endpoints',
    );
    const told = body.endpoints.filter(({ path }) => String(path).startsWith('/openid/'));
    expect(
      told.map(({ method, path, permission }) => `${String(method)} ${String(path)} ${String(permission)}`),
    ).toEqual(['GET /openid/login null', 'GET /openid/code null', 'POST /openid/code null', 'GET /openid/logout null']);
  });
});

describe('every door refuses', () => {
  const kinds = ['no', 'unsigned', 'foreign', 'changed', 'id', 'refresh', 'revoked', 'deactivated'] as const;
  type Kind = (typeof kinds)[number];
  const tokens = new Map<Kind, string | undefined>();

  const forge = async (token: string): Promise<Map<Kind, string>> => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    const write = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const { privateKey } = await generateKeyPair('ES256');
    const foreign = await new SignJWT(read(payload))
      .setProtectedHeader({ ...read(header), alg: 'ES256' })
      .sign(privateKey);
    return new Map([
      ['unsigned', `${write({ ...read(header), alg: 'none' })}.${payload}.`],
      ['foreign', foreign],
      ['changed', `${header}.${write({ ...read(payload), exp: 9_999_999_999 })}.${signature}`],
    ]);
  };

  beforeAll(async () => {
    const { service, dgs, root } = doors;
    const signedIn = await signIn(createBrowser(), 'dgs');
    for (const [kind, token] of await forge(dgs.token ?? '')) tokens.set(kind, token);
    tokens.set('no', undefined);
    tokens.set('id', signedIn.id_token);
    tokens.set('refresh', signedIn.refresh_token);
    tokens.set('revoked', signedIn.access_token);
    const form = { token: signedIn.refresh_token, client_id: 'fds-web' };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const text = new URLSearchParams(form).toString();
    requireStatus(await doors.anyone.call('/oauth2/revoke', { method: 'POST', headers, text }), 200);
    const adaptor = await dgs.rest<CreatedAdaptor>('POST', `/zones/${root}/adaptors`, { name: uniqueName('Adaptor') });
    const { uuid, clientId, clientSecret } = requireStatus(adaptor, 201).body;
    const token = await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret });
    requireStatus(await doorOf(service, token).rest('GET', '/token'), 200);
    requireStatus(await dgs.rest('DELETE', `/zones/${root}/adaptors/${uuid}`), 204);
    tokens.set('deactivated', token);
    await eventually(async () => expect((await doorOf(service, token).rest('GET', '/token')).status).toBe(401), {
      deadlineMs: 2000,
    });
  }, 120_000);

  it.each(kinds)('%s token', async (kind) => {
    const token = tokens.get(kind);
    const door = doorOf(doors.service, token);
    const rest = await door.rest('GET', '/domains');
    expect({ status: rest.status, body: rest.body }).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(rest.headers['www-authenticate']).toMatch(kind === 'no' ? /^Bearer(?!.*error)/ : /error="invalid_token"/);
    const graphql = await door.graphql('{ domains { page { size } } }');
    expect(graphql).toMatchObject({ status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } });
    const signed = token === undefined ? {} : { token };
    const assembly = await exchange(`${doors.service.assemblyUrl}/request`, { ...signed, method: 'POST', json: {} });
    expect(assembly).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(await socketEnd(doors.service.baseUrl, token)).toBe(4401);
  });
});

describe('headers for browsers', () => {
  it('forbid content sniffing, on every kind of answer', async () => {
    for (const path of [
      '/api/zones',
      '/health',
      '/graphql',
      '/oauth2/jwks',
      '/openid/login',
      '/docs',
      '/nowhere',
      '/metrics',
    ])
      expect([path, (await doors.anyone.call(path)).headers['x-content-type-options']]).toEqual([path, 'nosniff']);
  });

  it('forbid framing of pages, and name the allowed sources', async () => {
    for (const path of ['/docs', '/graphql', '/openid/logout']) {
      const { headers } = await doors.anyone.call(path, { headers: { accept: 'text/html' } });
      expect([path, headers['content-security-policy']]).toEqual([
        path,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
    }
  });

  it('allow calls from the allowed origin, but not from others', async () => {
    const ask = (from: string, path: string, method = 'GET') =>
      doors.admin.call(path, { method, headers: { origin: from, 'access-control-request-method': 'GET' } });
    for (const path of ['/api/zones', '/graphql?query=%7B__typename%7D']) {
      const allowed = await ask(origin, path);
      expect(allowed.headers).toMatchObject({ 'access-control-allow-origin': origin });
      expect(allowed.headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(allowed.headers['access-control-allow-credentials']).toBeUndefined();
      const preflight = await ask(origin, path, 'OPTIONS');
      expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, origin]);
      for (const method of ['GET', 'OPTIONS'])
        expect(
          (await ask('https://evil.example', path, method)).headers['access-control-allow-origin'],
        ).toBeUndefined();
    }
  });

  it('return the number of remaining requests', async () => {
    const { headers } = await doors.admin.rest('GET', '/zones');
    expect(headers['ratelimit-policy']).toBe('"token";q=100000;w=1');
    expect(headers['ratelimit']).toMatch(/^"token";r=\d+;t=1$/);
  });
});
