import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { exchange } from '../../harness/exchange.js';
import { expectNoInternals, expectProblem } from '../expect-problem.js';
import { doorOf, type Door, type GraphqlAnswer } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody } from '../unique-name.js';

/** The same header and claims with a changed end of the signature. */
const withOtherSignature = (token: string): string => {
  const [head, claims, signature = ''] = token.split('.');
  const flipped = signature.replaceAll(/./g, (letter) => (letter === 'A' ? 'B' : 'A'));
  return `${head}.${claims}.${flipped}`;
};

/** The claims of an admin with the signature of another token. */
const withOtherClaims = (dgs: string, admin: string): string => {
  const [head, , signature] = dgs.split('.');
  return `${head}.${admin.split('.')[1]}.${signature}`;
};

/** A forged token: same claims, same key id, other key. */
const forge = async (token: string, claims: Record<string, unknown> = {}): Promise<string> => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  return new SignJWT({ ...decodeJwt(token), ...claims })
    .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'ES256', jwk })
    .sign(privateKey);
};

const unsigned = (token: string): string => new UnsecuredJWT(decodeJwt(token)).encode();

/** HMAC with the published key as its secret: the well-known algorithm confusion. */
const signedWithPublicKey = async (token: string, jwks: string): Promise<string> =>
  new SignJWT(decodeJwt(token))
    .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'HS256' })
    .sign(new TextEncoder().encode(jwks));

type Forgery = readonly [
  says: string,
  authorization: (admin: Door, dgs: Door, jwks: string) => string | Promise<string>,
];

const forgeries: readonly Forgery[] = [
  ['no token at all', () => ''],
  ['a word', () => 'Bearer garbage'],
  ['an empty token', () => 'Bearer '],
  ['another scheme', () => `Basic ${Buffer.from('admin:admin-password-of-the-journey').toString('base64')}`],
  ['a token with another signature', ({ token = '' }) => `Bearer ${withOtherSignature(token)}`],
  ["a token with another's claims", ({ token = '' }, dgs) => `Bearer ${withOtherClaims(dgs.token ?? '', token)}`],
  ['a token signed by another key', async ({ token = '' }) => `Bearer ${await forge(token)}`],
  [
    'a token of another issuer',
    async ({ token = '' }) => `Bearer ${await forge(token, { iss: 'https://issuer.invalid' })}`,
  ],
  ['an unsigned token', ({ token = '' }) => `Bearer ${unsigned(token)}`],
  [
    'a token signed with the public key',
    async ({ token = '' }, _, jwks) => `Bearer ${await signedWithPublicKey(token, jwks)}`,
  ],
];

describe('access', () => {
  const { doors } = setUpDoors();
  let jwks: string;
  let adaptor: Door;
  let ownUuid: string;
  let otherUuid: string;
  let domainUuid: string;

  beforeAll(async () => {
    const { dgs, anyone, root, service } = doors;
    jwks = (await anyone.call('/oauth2/jwks')).text;
    const own = await createAdaptor(dgs, root, { name: 'Own', capabilities: [] });
    ownUuid = own.uuid;
    otherUuid = (await createAdaptor(dgs, root, { name: 'Other', capabilities: [] })).uuid;
    domainUuid = requireStatus(await dgs.rest('POST', '/domains', { name: 'some-domain' }), 201).body.uuid;
    adaptor = doorOf(
      service,
      await getToken({ baseUrl: service.baseUrl, username: own.clientId, password: own.clientSecret }),
    );
  }, 120_000);

  describe.each(forgeries)('with %s', (_, authorization) => {
    const headers = async (): Promise<Record<string, string>> => {
      const value = await authorization(doors.admin, doors.dgs, jwks);
      return value === '' ? {} : { authorization: value };
    };

    it.each([
      ['GET', '/api/zones'],
      ['POST', '/api/zones'],
      ['DELETE', `/api/zones/${nobody}`],
      ['GET', '/api/token'],
      ['GET', '/api/drs?filters=name:nowhere'],
      ['GET', '/api/graphql-schema'],
      ['GET', '/api/endpoints'],
    ])('%s %s is refused with 401', async (method, path) => {
      const { anyone } = doors;
      const json = method === 'POST' ? { json: { name: 'Zone' } } : {};
      const answer = await anyone.call(path, { method, headers: await headers(), ...json });
      expectProblem(answer, { status: 401, code: 'UNAUTHENTICATED' });
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer\b/);
    });

    it('GraphQL is refused with 401', async () => {
      const { anyone } = doors;
      const json = { query: '{ zones { data { uuid } } }' };
      for (const answer of [
        await anyone.call<GraphqlAnswer>('/graphql', { method: 'POST', headers: await headers(), json }),
        await anyone.call<GraphqlAnswer>('/graphql?query=%7B__typename%7D', {
          headers: { accept: 'application/json', ...(await headers()) },
        }),
      ]) {
        expect({ status: answer.status, text: answer.text }).toEqual({ status: 401, text: answer.text });
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer\b/);
        expect(answer.body.data ?? null).toBeNull();
        expect(answer.body.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
        expectNoInternals(answer);
      }
    });

    it('the assembly service is refused with 401', async () => {
      const answer = await exchange(`${doors.service.assemblyUrl}/request`, {
        method: 'POST',
        headers: await headers(),
        json: { domain: 'nowhere' },
      });
      expectProblem(answer, { status: 401, code: 'UNAUTHENTICATED' });
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer\b/);
    });
  });

  type Refused = readonly [who: 'admin' | 'dgs' | 'adaptor', method: string, path: string, json?: unknown];
  const refused: readonly Refused[] = [
    ['admin', 'GET', '/drs?filters=name:some-domain'],
    ['admin', 'GET', `/drs/${nobody}`],
    ['admin', 'POST', '/drs', { name: 'some-domain', json: {} }],
    ['admin', 'POST', '/zones/{root}/adaptors', { name: 'Mine' }],
    ['admin', 'GET', '/zones/{root}/adaptors/{own}/registration'],
    ['dgs', 'POST', '/zones', { name: 'Mine' }],
    ['dgs', 'POST', '/zones/{root}/child-zones', { name: 'Mine' }],
    ['dgs', 'DELETE', '/zones/{root}'],
    ['dgs', 'PATCH', '/zones/{root}', { changeVersion: 1, description: 'mine' }],
    ['dgs', 'GET', `/zones/${nobody}/adaptors`],
    ['adaptor', 'GET', '/zones'],
    ['adaptor', 'POST', '/zones', { name: 'Mine' }],
    ['adaptor', 'GET', '/domains'],
    ['adaptor', 'POST', '/domains', { name: 'mine' }],
    ['adaptor', 'PATCH', '/domains/{domain}', { changeVersion: 1, description: 'mine' }],
    ['adaptor', 'GET', '/drs?filters=name:some-domain'],
    ['adaptor', 'POST', '/drs', { name: 'some-domain', json: {} }],
    ['adaptor', 'POST', '/adaptor-types', { name: 'Mine' }],
    ['adaptor', 'POST', '/zones/{root}/adaptors', { name: 'Mine' }],
    ['adaptor', 'PATCH', '/zones/{root}/adaptors/{other}', { changeVersion: 1, description: 'mine' }],
    ['adaptor', 'DELETE', '/zones/{root}/adaptors/{other}?force=true'],
  ];
  const fill = (path: string): string =>
    path
      .replace('{root}', doors.root)
      .replace('{own}', ownUuid)
      .replace('{other}', otherUuid)
      .replace('{domain}', domainUuid);

  it.each(refused)('%s may not %s %s', async (...[who, method, path, json]) => {
    const door = { admin: doors.admin, dgs: doors.dgs, adaptor }[who];
    const answer = await door.rest<unknown>(method, fill(path), json);
    expectProblem(answer, { status: 403, code: 'FORBIDDEN' });
  });

  it('lets an adaptor see itself, but no other adaptor', async () => {
    const { root } = doors;
    const self = requireStatus(await adaptor.rest('GET', `/zones/${root}/adaptors/${ownUuid}`), 200);
    expect(self.body.uuid).toBe(ownUuid);
    const other = await adaptor.rest<unknown>('GET', `/zones/${root}/adaptors/${otherUuid}`);
    expect([403, 404]).toContain(other.status);
    const registration = await adaptor.rest<unknown>('GET', `/zones/${root}/adaptors/${otherUuid}/registration`);
    expect([403, 404]).toContain(registration.status);
    expect(registration.text).not.toContain('clientSecret');
  });

  it.each([
    ['dgs', 'mutation { createZone(input: { name: "Mine" }) { uuid } }'],
    ['admin', '{ dataRecords(domainName: "some-domain") { data { uuid } } }'],
    ['adaptor', '{ zones { data { uuid } } }'],
    ['adaptor', '{ domains { data { uuid } } }'],
  ] as const)('refuses %s in GraphQL like in REST: %s', async (who, query) => {
    const door = { admin: doors.admin, dgs: doors.dgs, adaptor }[who];
    const { body } = await door.graphql(query);
    expect(body.data ?? null).toBeNull();
    expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
  });

  it('refuses a change of a model that changes data if the caller has no data access', async () => {
    const { admin, dgs } = doors;
    const { domainName, domainVersionUuid } = await createVersion(dgs, {
      name: 'guarded',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const record = { name: domainName, json: { id: 'a' } };
    const { uuid } = requireStatus(await dgs.rest('POST', '/drs', record), 201).body;
    const answer = await admin.rest<unknown>('PATCH', `/domains/versions/${domainVersionUuid}`, {
      changeVersion: 1,
      modelSchema: { properties: { extra: { type: 'string' } } },
      values: [{ drUuid: uuid, json: { extra: 'by admin' } }],
    });
    expect((await dgs.rest('GET', `/drs/${uuid}`)).text).not.toContain('by admin');
    expectProblem(answer, { status: 403, code: 'FORBIDDEN' });
  });

  it('refuses admin an assembly', async () => {
    const answer = await exchange(`${doors.service.assemblyUrl}/request`, {
      method: 'POST',
      token: doors.admin.token ?? '',
      json: { domain: 'some-domain' },
    });
    expectProblem(answer, { status: 403, code: 'FORBIDDEN' });
  });
});
