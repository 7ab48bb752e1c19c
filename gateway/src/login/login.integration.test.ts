import { logChange } from '@fds/database';
import { createBrowser, eventually, type Browser, type Shown } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { sweepArtifacts } from '../authorization-server/sweep-artifacts.js';
import { adminPassword, openLogin, type OpenedLogin } from '../testing/open-login.js';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly token_type: string;
  readonly expires_in: number;
}

const application = 'http://app.example:9999/signed-in';

let login: OpenedLogin;
beforeAll(async () => {
  login = await openLogin({ FDS_REDIRECT_URIS: application });
});
afterAll(() => login?.close());

const credentials = { username: 'admin', password: adminPassword };

const signIn = async (browser: Browser, prefix = ''): Promise<Tokens> => {
  const page = await browser.visit(`${login.baseUrl}${prefix}/openid/login`);
  const done = page.text.includes('<form') ? await browser.submit(page, credentials) : page;
  expect(done.status).toBe(200);
  return JSON.parse(done.text) as Tokens;
};

const postForm = async (path: string, form: Record<string, string>) => {
  const answer = await fetch(`${login.baseUrl}${path}`, { method: 'POST', body: new URLSearchParams(form) });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Partial<Tokens> & { error?: string } };
};

const refresh = (refreshToken: string) =>
  postForm('/oauth2/token', { grant_type: 'refresh_token', client_id: 'fds-web', refresh_token: refreshToken });

const exchangeCode = (body: unknown, prefix = '/api') =>
  fetch(`${login.baseUrl}${prefix}/openid/code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const reasonOf = (token: string): Promise<unknown> =>
  login.authenticator.authenticate(`Bearer ${token}`).then(
    () => 'let in',
    (error: { details?: { reason?: unknown } }) => error.details?.reason,
  );

describe('signing in', () => {
  it.each(['', '/api'])('gives a person tokens under %s/openid', async (prefix) => {
    const tokens = await signIn(createBrowser(), prefix);
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, refresh_token: expect.any(String) });
    const principal = await login.authenticator.authenticate(`Bearer ${tokens.access_token}`);
    expect(principal).toMatchObject({ kind: 'PERSON', username: 'admin' });
    expect(decodeJwt(tokens.access_token)).toMatchObject({ sub: principal.uuid, client_id: 'fds-web', scope: 'api' });
    expect(decodeJwt(tokens.id_token)).toMatchObject({
      iss: login.baseUrl,
      aud: 'fds-web',
      sub: principal.uuid,
      preferred_username: 'admin',
    });
  });

  it('shows a page that loads nothing, labels its fields and may not be framed', async () => {
    const page = await createBrowser().visit(`${login.baseUrl}/openid/login`);
    expect(page.url.pathname).toMatch(/^\/oauth2\/login\//);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://app.example:9999");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).toMatch(/<html lang="en">/);
    for (const field of ['username', 'password']) {
      expect(page.text).toContain(`<label for="${field}">`);
      expect(page.text).toContain(`id="${field}" name="${field}"`);
    }
    expect(page.text).not.toMatch(/<script|src=|href=/);
  });

  it('shows the fault, keeps the name that was typed, and escapes it', async () => {
    const browser = createBrowser();
    const page = await browser.visit(`${login.baseUrl}/openid/login`);
    const again = await browser.submit(page, { username: '"><script>', password: 'wrong' });
    expect(again.status).toBe(401);
    expect(again.text).toContain('role="alert"');
    expect(again.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(again.text).not.toContain('<script>');
    const done = await browser.submit(again, credentials);
    expect(done.status).toBe(200);
  });

  it('slows down guessing, and shows the waiting time', async () => {
    const browser = createBrowser();
    let page: Shown = await browser.visit(`${login.baseUrl}/openid/login`);
    for (let attempt = 0; attempt < 9; attempt += 1) {
      page = await browser.submit(page, { username: 'guessed', password: `guess ${attempt}` });
      expect(page.status).toBe(401);
      login.advance(2_000);
    }
    login.advance(-2_000);
    const refused = await browser.submit(page, { username: 'guessed', password: 'guess' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.text).toContain('Too many attempts failed');
    expect((await browser.submit(refused, credentials)).status).toBe(200);
  });

  it('does not ask for the password twice in the same browser', async () => {
    const browser = createBrowser();
    await signIn(browser);
    const again = await browser.visit(`${login.baseUrl}/openid/login`);
    expect(JSON.parse(again.text)).toMatchObject({ access_token: expect.any(String) });
  });

  it('gives an application the tokens for a code that works once', async () => {
    const browser = createBrowser();
    const query = `redirect_uri=${encodeURIComponent(`${application}?tab=2`)}&state=abc`;
    const page = await browser.visit(`${login.baseUrl}/openid/login?${query}`);
    const done = await browser.submit(page, credentials, application);
    const target = new URL(done.headers.get('location') ?? '');
    expect(`${target.origin}${target.pathname}`).toBe(application);
    expect(Object.fromEntries(target.searchParams)).toEqual({ tab: '2', state: 'abc', code: expect.any(String) });
    expect(done.text).not.toContain('ey');
    const code = target.searchParams.get('code');
    const answers = await Promise.all([exchangeCode({ code }), exchangeCode({ code }, '')]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    const tokens = (await answers.find(({ status }) => status === 200)?.json()) as Tokens;
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, id_token: expect.any(String) });
    expect(await reasonOf(tokens.access_token)).toBe('let in');
    expect((await exchangeCode({ code })).status).toBe(400);
    expect((await exchangeCode({})).status).toBe(400);
  });

  it('refuses a code older than a minute', async () => {
    const browser = createBrowser();
    const page = await browser.visit(`${login.baseUrl}/openid/login?redirect_uri=${encodeURIComponent(application)}`);
    const done = await browser.submit(page, credentials, application);
    const code = new URL(done.headers.get('location') ?? '').searchParams.get('code');
    login.advance(61_000);
    const answer = await exchangeCode({ code });
    login.advance(-61_000);
    expect(answer.status).toBe(400);
  });

  it.each(['https://evil.example/', '//evil.example/', '/\\evil.example', `${application}/more`])(
    'never redirects to %s',
    async (address) => {
      const url = `${login.baseUrl}/openid/login?redirect_uri=${encodeURIComponent(address)}`;
      const answer = await fetch(url, { redirect: 'manual' });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ code: 'INVALID_PARAMETER', errors: [{ pointer: 'redirect_uri' }] });
      const out = await fetch(url.replace('login', 'logout'), { redirect: 'manual' });
      expect([out.status, out.headers.get('location')]).toEqual([400, null]);
    },
  );

  it('can be completed only once, and only by the browser that began it', async () => {
    const browser = createBrowser();
    const page = await browser.visit(`${login.baseUrl}/openid/login`);
    const callback = `${login.baseUrl}/openid/code`;
    const done = await browser.submit(page, credentials, callback);
    const address = done.headers.get('location') ?? '';
    const thief = await fetch(address);
    expect([thief.status, ((await thief.json()) as { code: string }).code]).toEqual([400, 'INVALID_PARAMETER']);
    expect((await browser.visit(address.replace(/state=[^&]*/, 'state=nonsense'))).status).toBe(400);
    expect((await browser.visit(address)).status).toBe(200);
    const replayed = await browser.visit(address);
    expect(replayed.status).toBe(400);
    expect(replayed.text).toContain('<h1>');
  });

  it('gives no code without PKCE, for another address, or without a client', async () => {
    const ask = async (parameters: Record<string, string>) => {
      const query = new URLSearchParams({
        client_id: 'fds-web',
        response_type: 'code',
        scope: 'openid',
        ...parameters,
      });
      const answer = await fetch(`${login.baseUrl}/oauth2/auth?${query.toString()}`, { redirect: 'manual' });
      return `${answer.status} ${answer.headers.get('location') ?? ''} ${await answer.text()}`;
    };
    expect(await ask({ redirect_uri: `${login.baseUrl}/openid/code` })).toContain('error=invalid_request');
    expect(await ask({ redirect_uri: 'https://evil.example/' })).toMatch(/^400 .*invalid_redirect_uri/);
    expect(await ask({ redirect_uri: application, client_id: 'admin' })).toMatch(/^400 /);
  });
});

describe('a person without a zone', () => {
  it('is refused on a page and at every door', async () => {
    const { prisma } = login.database;
    const admin = await prisma.person.findUniqueOrThrow({ where: { username: 'admin' }, select: { secretHash: true } });
    await prisma.person.create({
      data: { uuid: crypto.randomUUID(), username: 'stranger', secretHash: admin.secretHash },
    });
    const browser = createBrowser();
    const page = await browser.visit(`${login.baseUrl}/openid/login`);
    const told = await browser.submit(page, { username: 'stranger', password: adminPassword });
    expect(told.status).toBe(403);
    expect(told.text).toContain('user of no zone');
  });
});

describe('refresh tokens', () => {
  it('work once; a second use ends the sign-in with all its tokens', async () => {
    const first = await signIn(createBrowser());
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({ refresh_token: expect.any(String), id_token: expect.any(String) });
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    const tokens = second.body as Tokens;
    expect(await reasonOf(tokens.access_token)).toBe('let in');
    expect(decodeJwt(tokens.access_token)).toMatchObject({ scope: 'api', client_id: 'fds-web' });
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await refresh(tokens.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await reasonOf(tokens.access_token)).toBe('revoked');
  });

  it('and their access tokens can be revoked, without an effect on others', async () => {
    const [one, other] = [await signIn(createBrowser()), await signIn(createBrowser())];
    expect((await postForm('/oauth2/revoke', { token: one.refresh_token, client_id: 'fds-web' })).status).toBe(200);
    expect((await refresh(one.refresh_token)).status).toBe(400);
    expect([await reasonOf(one.access_token), await reasonOf(other.access_token)]).toEqual(['revoked', 'let in']);
  });

  it('end when their holder is deactivated', async () => {
    const { prisma } = login.database;
    const browser = createBrowser();
    const { refresh_token: refreshToken } = await signIn(browser);
    const setActive = async (active: boolean): Promise<void> => {
      await prisma.$transaction(async (tx) => {
        const { uuid } = await tx.person.update({ where: { username: 'admin' }, data: { active } });
        await logChange(tx, { action: 'PATCH', resourceType: 'User', resource: `/users/${uuid}`, resourceUuid: uuid });
      });
      login.directory.forget();
    };
    await setActive(false);
    expect(await refresh(refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    // the session of the browser ends too
    expect((await browser.visit(`${login.baseUrl}/openid/login`)).text).toContain('<form');
    await setActive(true);
  });

  it('end when the password of their holder changes, even within the same second', async () => {
    const { prisma } = login.database;
    const browser = createBrowser();
    const tokens = await signIn(browser);
    const where = { username: 'admin' };
    const setEpoch = async (tokenEpoch: number): Promise<void> => {
      await prisma.person.update({ where, data: { tokenEpoch } });
      login.directory.forget();
    };
    await setEpoch(1);
    expect(await reasonOf(tokens.access_token)).toBe('revoked');
    expect(await refresh(tokens.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    // the session of the browser ends too, and the same browser can sign in again
    expect((await browser.visit(`${login.baseUrl}/openid/login`)).text).toContain('<form');
    const again = await signIn(browser);
    expect(await reasonOf(again.access_token)).toBe('let in');
    expect((await refresh(again.refresh_token)).status).toBe(200);
    expect((await browser.visit(`${login.baseUrl}/openid/login`)).text).not.toContain('<form');
    await setEpoch(0);
    expect(await reasonOf(again.access_token)).toBe('revoked');
  });

  it('work once when several requests use one at the same time', async () => {
    const { access_token: first, refresh_token: refreshToken } = await signIn(createBrowser());
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)));
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(10 - given.length);
    // the second use has ended the whole family of tokens
    for (const { body } of given) {
      expect((await refresh(body.refresh_token ?? '')).body.error).toBe('invalid_grant');
      expect(await reasonOf(body.access_token ?? '')).toBe('revoked');
    }
    expect(await reasonOf(first)).toBe('revoked');
  });
});

describe('the rows that anonymous requests create', () => {
  const countRows = (model: string): Promise<number> => login.database.prisma.oidcArtifact.count({ where: { model } });
  const authorize = async (parameters: Readonly<Record<string, string>> = {}, cookie = ''): Promise<Response> => {
    const query = new URLSearchParams({
      client_id: 'fds-web',
      response_type: 'code',
      redirect_uri: `${login.baseUrl}/openid/code`,
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      ...parameters,
    });
    const headers: Record<string, string> = cookie === '' ? {} : { cookie };
    return fetch(`${login.baseUrl}/oauth2/auth?${query.toString()}`, { redirect: 'manual', headers });
  };

  it('are limited in number, and the latest sign-in of an address still works', async () => {
    for (let round = 0; round < 11; round += 1)
      await Promise.all(Array.from({ length: 20 }, async () => (await authorize()).arrayBuffer()));
    await signIn(createBrowser());
    expect(await countRows('Interaction')).toBeLessThanOrEqual(200);
  });

  it('are limited in bytes', async () => {
    const before = await countRows('Interaction');
    const answer = await authorize({ state: 'x'.repeat(8_000) });
    const said = `${answer.headers.get('location') ?? ''}${await answer.text()}`;
    expect(said).toContain('invalid_request');
    expect(await countRows('Interaction')).toBe(before);
  });

  it('do not include sessions, for any cookie', async () => {
    const before = await countRows('Session');
    for (let time = 0; time < 3; time += 1) await authorize({}, `_session=made-up-${time}`);
    expect(await countRows('Session')).toBe(before);
  });

  it('are deleted after they have expired, and no earlier', async () => {
    const { refresh_token: refreshToken } = await signIn(createBrowser());
    await authorize();
    login.advance(11 * 60_000);
    const now = new Date(Date.now() + 11 * 60_000);
    expect(await sweepArtifacts(login.database, now)).toBeGreaterThan(0);
    expect(await countRows('Interaction')).toBe(0);
    expect(await login.database.prisma.oidcArtifact.count({ where: { expiresAt: { lte: now } } })).toBe(0);
    expect((await refresh(refreshToken)).status).toBe(200);
    login.advance(-11 * 60_000);
  });
});

describe('signing out', () => {
  it('ends the session and its tokens, and asks for the password again', async () => {
    const browser = createBrowser();
    const tokens = await signIn(browser);
    const out = await browser.visit(`${login.baseUrl}/api/openid/logout`);
    expect([out.status, out.text.includes('You are signed out')]).toEqual([200, true]);
    expect(await reasonOf(tokens.access_token)).toBe('revoked');
    expect((await refresh(tokens.refresh_token)).status).toBe(400);
    expect((await browser.visit(`${login.baseUrl}/openid/login`)).text).toContain('<form');
    const elsewhere = `${login.baseUrl}/openid/logout?redirect_uri=${encodeURIComponent(application)}`;
    expect((await browser.visit(elsewhere, application)).headers.get('location')).toBe(application);
  });
});

describe('rotation of keys', () => {
  it('does not disturb signed-in people', async () => {
    const browser = createBrowser();
    let tokens = await signIn(browser);
    expect(await login.authorizationServer.rotateKeys(0)).toBe(true);
    login.advance(16 * 60_000);
    expect(await reasonOf(tokens.access_token)).toBe('let in');
    const next = await refresh(tokens.refresh_token);
    expect(next.status).toBe(200);
    tokens = next.body as Tokens;
    expect(await reasonOf(tokens.access_token)).toBe('let in');
    expect((await browser.visit(`${login.baseUrl}/openid/login`)).status).toBe(200);
    login.advance(-16 * 60_000);
  });
});

describe('the change log', () => {
  const entries = async () => {
    const rows = await login.database.prisma.changeLogEntry.findMany({
      where: { resourceType: { in: ['SignIn', 'SignOut'] } },
      orderBy: { position: 'asc' },
    });
    return rows.map(({ action, resourceType, resource, actorUuid, data }) => {
      const { way, count, ...facts } = JSON.parse(data ?? '{}') as Record<string, unknown>;
      return { entry: `${action} ${resourceType} ${resource} ${String(way)} ${String(count)}`, actorUuid, facts };
    });
  };

  it('has sign-ins, issued tokens and sign-outs of people, and no secret', async () => {
    const browser = createBrowser();
    const tokens = await signIn(browser);
    const { body: renewed } = await refresh(tokens.refresh_token);
    await refresh(tokens.refresh_token);
    await postForm('/oauth2/revoke', { client_id: 'fds-web', token: (await signIn(browser)).access_token });
    await browser.visit(`${login.baseUrl}/openid/logout`);
    const { sub: actorUuid = '' } = decodeJwt(tokens.access_token);
    const own = { clientId: 'fds-web', address: '127.0.0.1', userAgent: 'node' };
    await eventually(async () => {
      const found = await entries();
      for (const expected of [
        { entry: 'POST SignIn /oauth2/login PASSWORD 1', actorUuid, facts: own },
        // the service itself exchanges the codes of its page
        { entry: 'POST SignIn /oauth2/token AUTHORIZATION_CODE 1', actorUuid, facts: { clientId: 'fds-web' } },
        { entry: 'POST SignIn /oauth2/token REFRESH_TOKEN 1', actorUuid, facts: own },
        { entry: 'DELETE SignOut /oauth2/token TOKEN_REUSED 1', actorUuid, facts: own },
        { entry: 'DELETE SignOut /oauth2/revoke REVOCATION 1', actorUuid, facts: own },
        {
          entry: 'DELETE SignOut /openid/logout LOGOUT 1',
          actorUuid,
          facts: { address: '127.0.0.1', userAgent: 'node' },
        },
      ])
        expect(found).toContainEqual(expected);
    });
    const { rows: texts } = await login.database.pool.query<{ readonly data: string }>(
      'SELECT data FROM change_log WHERE data IS NOT NULL',
    );
    const all = texts.map(({ data }) => data).join('\n');
    for (const secret of [adminPassword, tokens.access_token, tokens.refresh_token, renewed.refresh_token ?? '?'])
      expect(all).not.toContain(secret);
  });
});
