import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { createAdaptor, requireStatus, type CreatedAdaptor } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import type { RawAnswer } from '../../harness/exchange.js';
import { doorOf, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly error?: string;
}

const basic = (username: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

describe('the authorization server', () => {
  const { doors } = setUpDoors();
  const baseUrl = (): string => doors.service.baseUrl;

  /** POST of a form as in RFC 6749. */
  const postForm = <Body = TokenAnswer>(
    path: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawAnswer<Body>> =>
    doors.anyone.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      text: new URLSearchParams(form).toString(),
    });
  const grant = { grant_type: 'client_credentials' };
  const newAdaptor = async (): Promise<CreatedAdaptor> => {
    const { dgs, root } = doors;
    const answer = await dgs.rest<CreatedAdaptor>('POST', `/zones/${root}/adaptors`, { name: uniqueName('Adaptor') });
    return requireStatus(answer, 201).body;
  };

  it.each(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])(
    'is described at %s',
    async (path) => {
      const { body } = requireStatus(await doors.anyone.call<Record<string, unknown>>(path), 200);
      expect(body).toMatchObject({
        issuer: baseUrl(),
        token_endpoint: `${baseUrl()}/oauth2/token`,
        authorization_endpoint: `${baseUrl()}/oauth2/auth`,
        jwks_uri: `${baseUrl()}/oauth2/jwks`,
        introspection_endpoint: `${baseUrl()}/oauth2/introspect`,
        revocation_endpoint: `${baseUrl()}/oauth2/revoke`,
      });
      expect(body['grant_types_supported']).toEqual(expect.arrayContaining(['client_credentials']));
      expect(body['grant_types_supported']).not.toContain('password');
    },
  );

  it('does not publish the private part of its keys', async () => {
    const { body } = await doors.anyone.call<{ keys: Record<string, unknown>[] }>('/oauth2/jwks');
    expect(body.keys.length).toBeGreaterThan(0);
    for (const key of body.keys) {
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(member);
    }
  });

  it.each(['admin', 'dgs'] as const)('issues an RFC 9068 token to %s that its keys verify', async (username) => {
    const headers = basic(username, doors.service.passwords[username]);
    const { body, headers: answered } = requireStatus(await postForm('/oauth2/token', grant, headers), 200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(answered['cache-control']).toContain('no-store');
    const { payload, protectedHeader } = await jwtVerify(
      body.access_token,
      createRemoteJWKSet(new URL(`${baseUrl()}/oauth2/jwks`)),
      { issuer: baseUrl(), typ: 'at+jwt' },
    );
    expect(protectedHeader.alg).not.toBe('none');
    expect(payload).toMatchObject({ client_id: username, sub: expect.any(String), jti: expect.any(String) });
    expect(payload.aud).toBeDefined();
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
  });

  it('accepts the secret in the body too', async () => {
    const { admin } = doors.service.passwords;
    const form = { ...grant, client_id: 'admin', client_secret: admin };
    const { body } = requireStatus(await postForm('/oauth2/token', form), 200);
    requireStatus(await doorOf(doors.service, body.access_token).rest('GET', '/zones'), 200);
  });

  it('issues a token to an adaptor, by header and by body', async () => {
    const { uuid, clientId, clientSecret } = await newAdaptor();
    const byHeader = await postForm('/oauth2/token', grant, basic(clientId, clientSecret));
    const byBody = await postForm('/oauth2/token', { ...grant, client_id: clientId, client_secret: clientSecret });
    for (const answer of [byHeader, byBody]) {
      const token = requireStatus(answer, 200).body.access_token;
      const { body } = await doorOf(doors.service, token).rest<Record<string, unknown>>('GET', '/token');
      expect(body).toMatchObject({ active: true, clientId, adaptorUuid: uuid });
    }
  });

  const refusals: readonly [string, Record<string, string>, Record<string, string>, number, string][] = [
    ['a wrong secret in the header', grant, basic('admin', 'wrong'), 401, 'invalid_client'],
    ['a wrong secret in the body', { ...grant, client_id: 'admin', client_secret: 'wrong' }, {}, 401, 'invalid_client'],
    ['an unknown client', grant, basic('nobody', 'wrong'), 401, 'invalid_client'],
  ];
  it.each(refusals)('answers %s as RFC 6749 requires', async (_, form, headers, status, error) => {
    const answer = await postForm('/oauth2/token', form, headers);
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text: answer.text });
    expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
    expect(answer.body).toMatchObject({ error, error_description: expect.any(String) });
    if (headers['authorization'] !== undefined) expect(answer.headers['www-authenticate']).toMatch(/^Basic\b/);
  });

  it.each([
    ['no client', {}],
    ['a NUL character for a client', basic('%00', 'wrong')],
    ['a header that is not Base64', { authorization: 'Basic ***' }],
  ])('refuses %s', async (_, headers) => {
    const answer = await postForm('/oauth2/token', grant, headers);
    expect([400, 401]).toContain(answer.status);
    expect(['invalid_client', 'invalid_request']).toContain(answer.body.error);
  });

  it.each([
    ['password', { grant_type: 'password', username: 'admin', password: 'x' }, 'unsupported_grant_type'],
    ['unknown', { grant_type: 'wish' }, 'unsupported_grant_type'],
    ['missing', {}, 'invalid_request'],
  ])('refuses the %s grant', async (_, form, error) => {
    const headers = basic('admin', doors.service.passwords.admin);
    const answer = await postForm('/oauth2/token', form as Record<string, string>, headers);
    expect(answer).toMatchObject({ status: 400, body: { error } });
  });

  it('introspects its tokens', async () => {
    const credentials = basic('admin', doors.service.passwords.admin);
    const token = doors.dgs.token ?? '';
    const claims = decodeJwt(token);
    const answer = await postForm('/oauth2/introspect', { token }, credentials);
    expect(requireStatus(answer, 200).body).toMatchObject({
      active: true,
      sub: claims.sub,
      exp: claims.exp,
      client_id: 'dgs',
    });
    const garbage = await postForm('/oauth2/introspect', { token: 'garbage' }, credentials);
    expect(garbage).toMatchObject({ status: 200, body: { active: false } });
    const unknown = await postForm('/oauth2/introspect', { token });
    expect([400, 401]).toContain(unknown.status);
    expect(unknown.text).not.toContain('"active"');
  });

  it('introspects tokens of other holders for callers who may read these holders', async () => {
    const { admin, dgs, root, service } = doors;
    const tokenIn = async (zoneUuid: string): Promise<string> => {
      const { clientId, clientSecret } = await createAdaptor(dgs, zoneUuid, {
        name: uniqueName('A'),
        capabilities: [],
      });
      return getToken({ baseUrl: baseUrl(), username: clientId, password: clientSecret });
    };
    const own = await tokenIn(root);
    const user = requireStatus(
      await admin.rest<Resource & { readonly clientId: string; readonly clientSecret: string }>(
        'POST',
        `/zones/${root}/users`,
        { username: uniqueName('robot'), serviceAccount: true },
      ),
      201,
    ).body;
    const robot = basic(user.clientId, user.clientSecret);
    const asDgs = basic('dgs', service.passwords.dgs);
    const asAdmin = basic('admin', service.passwords.admin);
    const isTold = async (token: string, credentials: Record<string, string>): Promise<unknown> =>
      requireStatus(await postForm<{ readonly active: boolean }>('/oauth2/introspect', { token }, credentials), 200)
        .body.active;
    const robotToken = await getToken({ baseUrl: baseUrl(), username: user.clientId, password: user.clientSecret });
    expect([
      await isTold(admin.token ?? '', asAdmin),
      await isTold(admin.token ?? '', asDgs),
      await isTold(admin.token ?? '', robot),
      await isTold(robotToken, robot),
      await isTold(robotToken, asAdmin),
      await isTold(robotToken, asDgs),
      await isTold(own, asAdmin),
      await isTold(own, asDgs),
      await isTold(own, robot),
    ]).toEqual([true, false, false, true, true, false, true, true, false]);
  });

  it('refuses a revoked token, but no other token of the same holder', async () => {
    const { service } = doors;
    const { dgs: password } = service.passwords;
    const credentials = basic('dgs', password);
    const [token, other] = [
      await getToken({ baseUrl: baseUrl(), username: 'dgs', password }),
      await getToken({ baseUrl: baseUrl(), username: 'dgs', password }),
    ];
    expect(decodeProtectedHeader(token).kid).toBeDefined();
    requireStatus(await doorOf(service, token).rest('GET', '/domains'), 200);
    requireStatus(await postForm('/oauth2/revoke', { token }, credentials), 200);
    await eventually(
      async () => {
        expect((await doorOf(service, token).rest('GET', '/domains')).status).toBe(401);
        expect((await doorOf(service, token).graphql('{ __typename }')).status).toBe(401);
      },
      { deadlineMs: 2000 },
    );
    expect((await postForm('/oauth2/introspect', { token }, credentials)).body).toMatchObject({ active: false });
    requireStatus(await doorOf(service, other).rest('GET', '/domains'), 200);
  });

  it('refuses the token of a deactivated adaptor', async () => {
    const { dgs, root, service } = doors;
    const { uuid, clientId, clientSecret } = await newAdaptor();
    const token = await getToken({ baseUrl: baseUrl(), username: clientId, password: clientSecret });
    requireStatus(await doorOf(service, token).rest('GET', '/token'), 200);
    requireStatus(await dgs.rest('DELETE', `/zones/${root}/adaptors/${uuid}`), 204);
    await eventually(async () => expect((await doorOf(service, token).rest('GET', '/token')).status).toBe(401), {
      deadlineMs: 2000,
    });
  });

  it('shows a person the content of their token', async () => {
    const { admin, root } = doors;
    const { iat = 0, exp = 0, sub } = decodeJwt(admin.token ?? '');
    const { body } = requireStatus(await admin.rest<Record<string, unknown>>('GET', '/token'), 200);
    expect(body).toMatchObject({
      active: true,
      sub,
      clientId: 'admin',
      username: 'admin',
      issuer: baseUrl(),
      issuedAt: iat * 1000,
      expiresAt: exp * 1000,
      zones: [
        {
          zoneUuid: root,
          zoneName: 'Root',
          zoneUserUuid: expect.any(String),
          default: true,
          roles: expect.arrayContaining([{ uuid: expect.any(String), name: 'Root Admin' }]),
          groups: [],
        },
      ],
      adaptorUuid: null,
    });
    for (const member of ['ssoId', 'scope']) expect(body).toHaveProperty(member);
  });

  it('returns both roles of dgs', async () => {
    const { body } = await doors.dgs.rest<{ zones: { roles: { name: string }[] }[] }>('GET', '/token');
    expect(body.zones[0]?.roles.map(({ name }) => name).toSorted()).toEqual([
      'Data Governance Steward',
      'Zone Data Steward',
    ]);
  });

  it('issues a new secret for an adaptor, and accepts the old one during its grace period', async () => {
    const { dgs, root, service } = doors;
    const { uuid, clientId, clientSecret } = await newAdaptor();
    const path = `/zones/${root}/adaptors/${uuid}/registration`;
    const before = requireStatus(await dgs.rest<Record<string, unknown>>('GET', path), 200);
    expect(before.body).toMatchObject({ uuid, zoneUuid: root, clientId, clientSecret, messageBusUrl: service.busUrl });
    const issued = await dgs.rest<{ clientSecret: string }>('POST', path);
    expect([200, 201]).toContain(issued.status);
    expect(issued.body.clientSecret).not.toBe(clientSecret);
    for (const secret of [issued.body.clientSecret, clientSecret]) {
      requireStatus(await postForm('/oauth2/token', grant, basic(clientId, secret)), 200);
    }
    expect((await dgs.rest<Record<string, unknown>>('GET', path)).body['clientSecret']).toBe(issued.body.clientSecret);
  });
});
