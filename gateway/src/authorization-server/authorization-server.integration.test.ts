import { randomUUID as newUuid } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSealer, createTokenVerifier, hashSecret } from '@fds/auth';
import { logChange, openDatabase } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import {
  createAuthenticator,
  createBusAuthenticator,
  type Authenticator,
  type BusAuthenticator,
  bootstrapIdentity,
  openIdentityDirectory,
  type IdentityDirectory,
} from '@fds/identity';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { decodeJwt, decodeProtectedHeader } from 'jose';

import { createAuthorizationServer, type AuthorizationServer } from './authorization-server.js';

const issuer = 'http://fds.example:8080';
const adminPassword = 'an+admin %password';
const adaptorSecret = 'an-adaptor-secret';
const log = createLog('silent');

let database: TestDatabase;
let dataDir: string;
let directory: IdentityDirectory;
let authorization: AuthorizationServer;
let authenticator: Authenticator;
let authenticateOnBus: BusAuthenticator;
let server: FastifyInstance;
let base: string;
let zoneUuid: string;
let clock = 0;
const adaptorUuid = newUuid();
const now = (): Date => new Date(Date.now() + clock);
const sealer = createSealer(Buffer.alloc(32, 7));

beforeAll(async () => {
  database = await openTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'fds-authorization-'));
  const boot = await bootstrapIdentity({ database, adminPassword, dataDir, now, newUuid });
  zoneUuid = boot.rootZoneUuid;
  await database.prisma.adaptorType.create({
    data: {
      uuid: newUuid(),
      name: 'default',
      adaptors: {
        create: {
          uuid: adaptorUuid,
          name: 'crm',
          zoneUuid,
          registration: { create: { sealedSecret: sealer.seal(adaptorSecret) } },
        },
      },
    },
  });
  directory = await openIdentityDirectory({ database, log, now });
  authorization = await createAuthorizationServer({ issuer, database, sealer, directory, tokenMinutes: 60, log, now });
  authenticator = createAuthenticator({ verifier: authorization.verifier, directory });
  authenticateOnBus = createBusAuthenticator({
    clients: authorization.clients,
    verifier: authorization.verifier,
    directory,
    log,
  });
  server = fastify();
  await authorization.register(server);
  server.post('/echo', (request) => Promise.resolve(request.body));
  base = await server.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await server?.close();
  await directory?.close();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const basic = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const post = (path: string, form: Record<string, string>, authorization?: string): Promise<Response> =>
  fetch(`${base}${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  });

const tokenOf = async (id: string, secret: string): Promise<string> => {
  const response = await post('/oauth2/token', { grant_type: 'client_credentials' }, basic(id, secret));
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
};

const reasonOf = async (work: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return (error as { details?: { reason?: unknown } } | undefined)?.details?.reason;
};

/** A proxy to the database whose connections can be cut. */
const openProxy = async (target: URL): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(target);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => {
        proxy.close(() => resolve());
      });
    },
  };
};

describe('the token endpoint', () => {
  it('gives a person a signed access token of RFC 9068', async () => {
    const response = await post('/oauth2/token', { grant_type: 'client_credentials' }, basic('admin', adminPassword));
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'api' });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const token = body['access_token'] as string;
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    const person = await database.prisma.person.findUniqueOrThrow({ where: { username: 'admin' } });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      iss: issuer,
      aud: `${issuer}/api`,
      sub: person.uuid,
      client_id: 'admin',
      scope: 'api',
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
    expect(claims.jti).toEqual(expect.any(String));
  });

  it('accepts the generated password, and credentials in the body', async () => {
    const password = (await readFile(join(dataDir, 'dgs.password'), 'utf8')).trim();
    const form = { grant_type: 'client_credentials', client_id: 'dgs', client_secret: password };
    const response = await post('/oauth2/token', form);
    expect(response.status).toBe(200);
  });

  it('accepts a secret as it is, form-encoded, and with every character encoded', async () => {
    const strict = Array.from(
      Buffer.from(adminPassword),
      (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`,
    ).join('');
    const form = new URLSearchParams({ s: adminPassword }).toString().slice(2);
    for (const sent of [adminPassword, encodeURIComponent(adminPassword), form, strict]) {
      const token = await tokenOf('admin', sent);
      for (const path of ['/oauth2/introspect', '/oauth2/revoke']) {
        expect((await post(path, { token }, basic('admin', sent))).status).toBe(200);
      }
    }
  });

  it.each(["ab/cd-Pass1!'()*~", 'ab%41+b 100%', 'ab%2Fcd', 'pässwörd-€', ':;&=?#"\\<>'])(
    'accepts the secret %s in every encoding',
    async (secret) => {
      const uuid = newUuid();
      const username = `of ${uuid.slice(0, 8)}`;
      await database.prisma.person.create({
        data: { uuid, username, name: 'p', serviceAccount: true, secretHash: await hashSecret(secret) },
      });
      const strict = (text: string): string =>
        Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      const form = (text: string): string => new URLSearchParams({ s: text }).toString().slice(2);
      for (const encode of [(text: string) => text, encodeURIComponent, form, strict]) {
        await tokenOf(encode(username), encode(secret));
      }
      const inBody = { grant_type: 'client_credentials', client_id: username, client_secret: secret };
      expect((await post('/oauth2/token', inBody)).status).toBe(200);
    },
  );

  it.each([
    [undefined, 200, { scope: 'api' }],
    ['api', 200, { scope: 'api' }],
    ['openid api', 200, { scope: 'api' }],
    ['openid profile', 200, { scope: 'api' }],
    ['foo', 400, { error: 'invalid_scope', scope: 'foo' }],
    ['api foo', 400, { error: 'invalid_scope', scope: 'foo' }],
    ['adaptor', 400, { error: 'invalid_scope', scope: 'adaptor' }],
    ['a"b', 400, { error: 'invalid_scope' }],
  ])('answers the scope %j with %i', async (scope, status, body) => {
    const form = { grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) };
    const response = await post('/oauth2/token', form, basic('admin', adminPassword));
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status, body });
  });

  it('sends a sign-in that requests an unknown scope back with invalid_scope', async () => {
    const redirect = `${issuer}/openid/code`;
    const query = { client_id: 'fds-web', response_type: 'code', redirect_uri: redirect, state: 's' };
    const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const locationOf = async (scope: string): Promise<string> => {
      const parameters = new URLSearchParams({ ...query, ...pkce, scope });
      const response = await fetch(`${base}/oauth2/auth?${parameters.toString()}`, { redirect: 'manual' });
      expect(response.status).toBe(303);
      return response.headers.get('location') ?? '';
    };
    const refused = new URL(await locationOf('openid foo'));
    expect(refused.origin + refused.pathname).toBe(redirect);
    expect(Object.fromEntries(refused.searchParams)).toMatchObject({ error: 'invalid_scope', state: 's' });
    expect(await locationOf('openid profile email api offline_access')).not.toContain('error');
  });

  it.each([
    ['a wrong secret', basic('admin', 'wrong'), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
    ['an unknown client', basic('nobody', 'wrong'), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
    [
      'an adaptor with a wrong secret',
      basic(adaptorUuid, 'wrong'),
      { grant_type: 'client_credentials' },
      401,
      'invalid_client',
    ],
    ['no client', undefined, { grant_type: 'client_credentials' }, 400, 'invalid_request'],
    [
      'another grant',
      basic('admin', adminPassword),
      { grant_type: 'password', username: 'a', password: 'b' },
      400,
      'unsupported_grant_type',
    ],
    [
      'another resource',
      basic('admin', adminPassword),
      { grant_type: 'client_credentials', resource: 'urn:x' },
      400,
      'invalid_target',
    ],
  ])('refuses %s', async (_name, authorization, form, status, error) => {
    const response = await post('/oauth2/token', form, authorization);
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status, body: { error } });
  });

  it('gives no token to people, who sign in', async () => {
    const secretHash = await hashSecret('a password');
    const person = { uuid: newUuid(), username: 'ann', secretHash };
    const { uuid } = await database.prisma.person.create({ data: person });
    const form = { grant_type: 'client_credentials' };
    const refused = await post('/oauth2/token', form, basic('ann', 'a password'));
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'unauthorized_client' }),
    ]);
    expect((await post('/oauth2/token', form, basic('ann', 'wrong'))).status).toBe(401);
    await database.prisma.person.update({ where: { uuid }, data: { serviceAccount: true } });
    expect((await post('/oauth2/token', form, basic('ann', 'a password'))).status).toBe(200);
  });

  it('slows down guesses for unknown names as for known ones, and gives both the same answer', async () => {
    const guess = (name: string) => post('/oauth2/token', { grant_type: 'client_credentials' }, basic(name, 'wrong'));
    const answerOf = async (name: string) => {
      const response = await guess(name);
      return [response.status, await response.json(), response.headers.get('www-authenticate')];
    };
    expect(await answerOf('no-such-name')).toEqual(await answerOf('dgs'));
    let last = await guess('no-such-name');
    for (let failures = 2; failures < 10; failures += 1) last = await guess('no-such-name');
    expect([last.status, last.headers.has('retry-after')]).toEqual([429, true]);
    expect((await guess('no-such-name-either')).status).toBe(401);
  });

  it.each(['\u0000', 'a\u0000b', 'ü'])('refuses the client id, token and code %j as unknown', async (text) => {
    const authorize = await fetch(`${base}/oauth2/auth?client_id=${encodeURIComponent(text)}`);
    expect(authorize.status).toBe(400);
    const form = { grant_type: 'client_credentials', client_id: text, client_secret: 'x' };
    expect((await post('/oauth2/token', form)).status).toBe(401);
    const admin = basic('admin', encodeURIComponent(adminPassword));
    const introspected = await post('/oauth2/introspect', { token: text }, admin);
    expect(introspected.status).toBe(200);
    expect(await introspected.json()).toMatchObject({ active: false });
    expect((await post('/oauth2/revoke', { token: text }, admin)).status).toBe(200);
  });

  it('answers in JSON where the provider would show a browser a page', async () => {
    const response = await fetch(`${base}/oauth2/auth?client_id=nobody&response_type=code`, {
      headers: { accept: 'text/html' },
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  it('answers 503 with an error of RFC 6749 while the database is not reachable', async () => {
    const proxy = await openProxy(new URL(database.url));
    const distant = openDatabase({ url: proxy.url });
    const own = await createAuthorizationServer({
      issuer,
      database: distant,
      sealer,
      directory,
      tokenMinutes: 60,
      log,
      now,
    });
    const other = fastify();
    await own.register(other);
    await proxy.close();
    const response = await other.inject({
      method: 'POST',
      url: '/oauth2/token',
      headers: { authorization: basic('admin', adminPassword), 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'grant_type=client_credentials',
    });
    expect({ status: response.statusCode, body: response.json<unknown>() }).toMatchObject({
      status: 503,
      body: { error: 'temporarily_unavailable' },
    });
    await other.close();
    await distant.close();
  });

  it('leaves other paths and their bodies to the server that mounts it', async () => {
    expect((await fetch(`${base}/oauth2/nowhere`)).status).toBe(404);
    const echo = await fetch(`${base}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await echo.json()).toEqual({ a: 1 });
  });

  it('names the issuer in the discovery documents, at every address of the client', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const document = (await (await fetch(`${base}${path}`)).json()) as Record<string, unknown>;
      expect(document).toMatchObject({
        issuer,
        token_endpoint: `${issuer}/oauth2/token`,
        authorization_endpoint: `${issuer}/oauth2/auth`,
        jwks_uri: `${issuer}/oauth2/jwks`,
        introspection_endpoint: `${issuer}/oauth2/introspect`,
        revocation_endpoint: `${issuer}/oauth2/revoke`,
      });
      // every address in the document answers
      for (const [name, url] of Object.entries(document)) {
        if (!/_endpoint$|_uri$/.test(name)) continue;
        const { pathname } = new URL(String(url));
        const answers = [await fetch(`${base}${pathname}`), await post(pathname, {})];
        expect([name, answers.every(({ status }) => status === 404)]).toEqual([name, false]);
      }
    }
  });
});

describe('a door', () => {
  it('returns the person of a token with memberships and grants', async () => {
    const principal = await authenticator.authenticate(`Bearer ${await tokenOf('admin', adminPassword)}`);
    expect(principal).toMatchObject({ kind: 'PERSON', username: 'admin', defaultZoneUuid: zoneUuid });
    expect(principal.zones[0]?.roles.map((role) => role.name).sort()).toEqual(['Root Admin', 'Zone Admin']);
    expect(principal.permits('POST', '/zones')).toBe(true);
    expect(principal.permits('POST', `/zones/${zoneUuid}/adaptors`)).toBe(false);
    expect(principal.permits('GET', '/drs')).toBe(false);
  });

  it('lets an adaptor read its own resource and nothing else', async () => {
    const principal = await authenticator.authenticate(`Bearer ${await tokenOf(adaptorUuid, adaptorSecret)}`);
    expect(principal).toMatchObject({ kind: 'ADAPTOR', uuid: adaptorUuid });
    const own = `/zones/${zoneUuid}/adaptors/${adaptorUuid}`;
    expect(principal.permits('GET', own)).toBe(true);
    expect(principal.permits('GET', `${own}/registration`)).toBe(false);
    expect(principal.permits('PATCH', own)).toBe(false);
    expect(principal.permits('GET', '/drs')).toBe(false);
  });

  it.each([
    ['no header', undefined, 'missing'],
    ['another scheme', 'Basic YTpi', 'missing'],
    ['text that is not a token', 'Bearer nonsense', 'malformed'],
  ])('refuses %s', async (_name, header, reason) => {
    expect(await reasonOf(authenticator.authenticate(header))).toBe(reason);
  });

  it('refuses a token that was changed, has expired, or is meant for another audience', async () => {
    const token = await tokenOf('admin', adminPassword);
    const [head, body, signature = ''] = token.split('.');
    const changed = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expect(await reasonOf(authenticator.authenticate(`Bearer ${changed}`))).toBe('signature');
    const other = createTokenVerifier({ issuer, audiences: ['urn:other'], keys: new URL(`${base}/oauth2/jwks`), now });
    expect(await reasonOf(other.verify(token))).toBe('audience');
    clock = 3_601_000;
    expect(await reasonOf(authenticator.authenticate(`Bearer ${token}`))).toBe('expired');
    clock = 0;
  });

  it('refuses the tokens of a deactivated holder at once', async () => {
    const token = await tokenOf('dgs', (await readFile(join(dataDir, 'dgs.password'), 'utf8')).trim());
    await authenticator.authenticate(`Bearer ${token}`);
    const setActive = (active: boolean) =>
      database.prisma.$transaction(async (tx) => {
        const { uuid } = await tx.person.update({ where: { username: 'dgs' }, data: { active } });
        await logChange(tx, { action: 'PATCH', resourceType: 'User', resource: `/users/${uuid}`, resourceUuid: uuid });
      });
    await setActive(false);
    await eventually(async () =>
      expect(await reasonOf(authenticator.authenticate(`Bearer ${token}`))).toBe('inactive'),
    );
    await setActive(true);
    await eventually(async () => expect(await reasonOf(authenticator.authenticate(`Bearer ${token}`))).toBeUndefined());
  });
});

describe('introspection and revocation of self-contained tokens', () => {
  it('describes an active token to an authenticated client', async () => {
    const token = await tokenOf(adaptorUuid, adaptorSecret);
    const response = await post('/oauth2/introspect', { token }, basic('admin', adminPassword));
    expect(await response.json()).toMatchObject({
      active: true,
      sub: adaptorUuid,
      client_id: adaptorUuid,
      exp: expect.any(Number),
      scope: 'adaptor',
    });
    const unknown = await post('/oauth2/introspect', { token: 'nonsense' }, basic('admin', adminPassword));
    expect(await unknown.json()).toEqual({ active: false });
    expect((await post('/oauth2/introspect', { token }, basic('admin', 'wrong'))).status).toBe(401);
  });

  it('does not show an adaptor the tokens of other holders', async () => {
    const token = await tokenOf('admin', adminPassword);
    const response = await post('/oauth2/introspect', { token }, basic(adaptorUuid, adaptorSecret));
    expect(await response.json()).toEqual({ active: false });
  });

  it('refuses a revoked token from then on, and still accepts the other tokens', async () => {
    const [token, other] = [await tokenOf('admin', adminPassword), await tokenOf('admin', adminPassword)];
    await authenticator.authenticate(`Bearer ${token}`);
    expect((await post('/oauth2/revoke', { token }, basic(adaptorUuid, adaptorSecret))).status).toBe(400);
    expect((await post('/oauth2/revoke', { token }, basic('admin', adminPassword))).status).toBe(200);
    expect((await post('/oauth2/revoke', { token }, basic('admin', adminPassword))).status).toBe(200);
    await eventually(async () => expect(await reasonOf(authenticator.authenticate(`Bearer ${token}`))).toBe('revoked'));
    const answer = await post('/oauth2/introspect', { token }, basic('admin', adminPassword));
    expect(await answer.json()).toEqual({ active: false });
    await authenticator.authenticate(`Bearer ${other}`);
  });
});

describe('rotation of keys', () => {
  it('publishes a key before it signs, and still accepts tokens of the previous key', async () => {
    const kidOf = async (): Promise<string | undefined> =>
      decodeProtectedHeader(await tokenOf('admin', adminPassword)).kid;
    const published = async (): Promise<(string | undefined)[]> => {
      const { keys } = (await (await fetch(`${base}/oauth2/jwks`)).json()) as { keys: { kid?: string; d?: string }[] };
      expect(keys.every((key) => key.d === undefined)).toBe(true);
      return keys.map((key) => key.kid);
    };
    const token = await tokenOf('admin', adminPassword);
    const first = await kidOf();
    expect(await authorization.rotateKeys(0)).toBe(true);
    expect(await published()).toHaveLength(2);
    expect(await kidOf()).toBe(first);
    clock = 16 * 60_000;
    const second = await kidOf();
    expect(second).not.toBe(first);
    expect(await published()).toEqual(expect.arrayContaining([first, second]));
    await authenticator.authenticate(`Bearer ${token}`);
    clock = 80 * 60_000;
    expect(await kidOf()).toBe(second);
    expect(await published()).toEqual([second]);
    clock = 0;
  });
});

describe('the age of signing keys', () => {
  it('is that of the latest key; only one of several concurrent rotations publishes a new key', async () => {
    const dayMs = 86_400_000;
    expect(await authorization.rotateKeys(dayMs)).toBe(false);
    clock = dayMs + 80 * 60_000;
    const answers = await Promise.all([authorization.rotateKeys(dayMs), authorization.rotateKeys(dayMs)]);
    expect(answers.filter((published) => published)).toHaveLength(1);
    expect(await authorization.rotateKeys(dayMs)).toBe(false);
    clock = 0;
  });
});

describe('the adaptor bus', () => {
  it('accepts the client secret or an access token of the adaptor, and nothing else', async () => {
    const own = await tokenOf(adaptorUuid, adaptorSecret);
    const foreign = await tokenOf('admin', adminPassword);
    expect(await authenticateOnBus(adaptorUuid, adaptorSecret, 'here')).toBe('ACCEPTED');
    expect(await authenticateOnBus(adaptorUuid, own, 'here')).toBe('ACCEPTED');
    expect(await authenticateOnBus(adaptorUuid, foreign, 'here')).toBe('REFUSED');
    expect(await authenticateOnBus(newUuid(), own, 'here')).toBe('REFUSED');
    expect(await authenticateOnBus(adaptorUuid, 'wrong', 'here')).toBe('REFUSED');
    expect(await authenticateOnBus('admin', adminPassword, 'here')).toBe('REFUSED');
  });

  it('accepts the previous secret during its grace period', async () => {
    const previousUntil = new Date(Date.now() + 60_000);
    await database.prisma.adaptorRegistration.update({
      where: { adaptorUuid },
      data: {
        sealedSecret: sealer.seal('a-new-secret'),
        previousSealedSecret: sealer.seal(adaptorSecret),
        previousUntil,
      },
    });
    expect(await authenticateOnBus(adaptorUuid, 'a-new-secret', 'here')).toBe('ACCEPTED');
    expect(await authenticateOnBus(adaptorUuid, adaptorSecret, 'here')).toBe('ACCEPTED');
    // a token that was issued for the old secret ends with that secret
    const response = await post(
      '/oauth2/token',
      { grant_type: 'client_credentials' },
      basic(adaptorUuid, adaptorSecret),
    );
    const { expires_in: seconds } = (await response.json()) as { expires_in: number };
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    clock = 61_000;
    expect(await authenticateOnBus(adaptorUuid, adaptorSecret, 'here')).toBe('REFUSED');
    clock = 0;
  });

  it('refuses an inactive adaptor', async () => {
    await database.prisma.adaptor.update({ where: { uuid: adaptorUuid }, data: { active: false } });
    expect(await authenticateOnBus(adaptorUuid, 'a-new-secret', 'here')).toBe('REFUSED');
  });
});
