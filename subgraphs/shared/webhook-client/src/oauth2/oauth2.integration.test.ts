import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Provider } from 'oidc-provider';
import { createWebhookSender, type WebhookSender } from '../create-webhook-sender.js';
import { everyTarget } from '../target/target-fault.js';
import { openReceiver, type Received, type Receiver } from '../testing/open-receiver.js';
import { oauth2Faults, type OAuth2Registration } from './oauth2-registration.js';

const secret = 'enigma-and-more-than-32-characters-long';
const methods = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const;

let issuer = '';
let tokenRequests: string[] = [];
let delay = 0;
let closeIssuer = (): Promise<void> => Promise.resolve();
let accepted: (token: string) => boolean = () => true;
let receiver: Receiver;

const bearerOf = ({ headers }: Received): string => (headers.authorization ?? '').replace(/^Bearer /, '');

/** The real authorization server of the product's own library. */
const openIssuer = async (): Promise<void> => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: methods.map((method) => ({
      client_id: method,
      client_secret: secret,
      token_endpoint_auth_method: method,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    clientAuthMethods: [...methods],
    scopes: ['read', 'write'],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    ttl: { ClientCredentials: 600 },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/token') tokenRequests.push(request.url);
    setTimeout(() => void handle(request, response), delay);
  });
  closeIssuer = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
};

let webhooks: WebhookSender;
beforeAll(async () => {
  await openIssuer();
  receiver = await openReceiver(
    (request, response) => void response.writeHead(accepted(bearerOf(request)) ? 204 : 401).end(),
  );
});
afterAll(async () => {
  await Promise.all([receiver.close(), closeIssuer()]);
});

/** Each test has its own sender, and so its own cache. */
const withSender = async (work: (now: { date: Date }) => Promise<void>): Promise<void> => {
  const now = { date: new Date() };
  webhooks = createWebhookSender({ rule: everyTarget, now: () => now.date });
  tokenRequests = [];
  delay = 0;
  accepted = () => true;
  try {
    await work(now);
  } finally {
    await webhooks.close();
  }
};

const send = (oauth2Registration: OAuth2Registration, url = receiver.url) =>
  webhooks.send({ url, oauth2Registration, secrets: [], id: 'msg_1', timestamp: new Date(), body: '{}' });

const lastToken = (): string => bearerOf(receiver.received.at(-1) ?? { path: '', headers: {}, body: '' });

const client = (more: Partial<OAuth2Registration> = {}): OAuth2Registration => ({
  issuerUri: issuer,
  clientId: 'client_secret_basic',
  clientSecret: secret,
  authorizationGrantType: 'client_credentials',
  ...more,
});

describe('a receiver behind OAuth 2.0', () => {
  it.each([
    ['client_secret_basic', undefined],
    ['client_secret_basic', 'basic'],
    ['client_secret_post', 'post'],
    ['client_secret_post', 'client_secret_post'],
    ['client_secret_jwt', 'client_secret_jwt'],
  ])('is called with a token that the client %s gets by %s', (clientId, clientAuthenticationMethod) =>
    withSender(async () => {
      const outcome = await send(client({ clientId, clientAuthenticationMethod: clientAuthenticationMethod ?? null }));
      expect(outcome).toMatchObject({ kind: 'DELIVERED' });
      expect(lastToken()).toMatch(/^[\w-]{20,}$/);
    }),
  );

  it.each([
    ['the issuer', () => ({ issuerUri: issuer })],
    ['the address of OpenID Connect metadata', () => ({ issuerUri: `${issuer}/.well-known/openid-configuration` })],
    ['an explicit token endpoint', () => ({ issuerUri: null, tokenUri: `${issuer}/token` })],
  ])('is found by %s', (_, members) =>
    withSender(async () => {
      expect((await send(client(members()))).kind).toBe('DELIVERED');
    }),
  );

  it('is found by RFC 8414 metadata where there is no OpenID Connect, also below a path', () =>
    withSender(async () => {
      const paths: string[] = [];
      const metadata = await openReceiver(({ path }, response) => {
        paths.push(path);
        if (path !== '/.well-known/oauth-authorization-server/tenant') return void response.writeHead(404).end();
        const body = { issuer: `${new URL(metadata.url).origin}/tenant`, token_endpoint: `${issuer}/token` };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
      try {
        const { origin } = new URL(metadata.url);
        expect((await send(client({ issuerUri: `${origin}/tenant` }))).kind).toBe('DELIVERED');
        const { oauth2Registration } = {
          oauth2Registration: client({
            issuerUri: `${origin}/.well-known/oauth-authorization-server/tenant`,
            scope: 'read',
          }),
        };
        expect((await send(oauth2Registration)).kind).toBe('DELIVERED');
        expect(paths).toContain('/tenant/.well-known/openid-configuration');
      } finally {
        await metadata.close();
      }
    }));

  it('asks once for many messages and again when the token has nearly expired', () =>
    withSender(async (now) => {
      delay = 50;
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => send(client())));
      expect(outcomes.every(({ kind }) => kind === 'DELIVERED')).toBe(true);
      expect(tokenRequests).toHaveLength(1);
      now.date = new Date(now.date.getTime() + 569_000);
      await send(client());
      expect(tokenRequests).toHaveLength(1);
      now.date = new Date(now.date.getTime() + 2_000);
      await send(client());
      expect(tokenRequests).toHaveLength(2);
    }));

  it('gets a new token after a 401, once', () =>
    withSender(async () => {
      await send(client());
      const first = lastToken();
      accepted = (token) => token !== first;
      expect(await send(client())).toMatchObject({ kind: 'DELIVERED' });
      expect(lastToken()).not.toBe(first);
      accepted = () => false;
      const before = receiver.received.length;
      expect(await send(client())).toMatchObject({ kind: 'FAILED', httpStatus: 401 });
      expect(receiver.received.length - before).toBe(2);
    }));

  it('passes on scopes that are separated by commas, and says why the token endpoint refuses', () =>
    withSender(async () => {
      const answers: Record<string, object> = {
        'read write': { access_token: 'abc', token_type: 'Bearer' },
        other: { error: 'invalid_scope', error_description: `not for ${secret}` },
      };
      const endpoint = await openReceiver(({ body }, response) => {
        const answer = answers[new URLSearchParams(body).get('scope') ?? ''] ?? {};
        response.writeHead('error' in answer ? 400 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      });
      try {
        const tokenUri = endpoint.url;
        expect((await send(client({ tokenUri, scope: 'read, write' }))).kind).toBe('DELIVERED');
        expect(lastToken()).toBe('abc');
        expect(await send(client({ tokenUri, scope: 'other' }))).toMatchObject({
          kind: 'FAILED',
          error: 'no access token: the token endpoint answered 400 invalid_scope',
        });
      } finally {
        await endpoint.close();
      }
    }));

  it('reports a wrong secret without showing it', () =>
    withSender(async () => {
      const outcome = await send(client({ clientSecret: 'wrong-enigma' }));
      expect(outcome).toMatchObject({
        kind: 'FAILED',
        error: expect.stringMatching(/^no access token: the token endpoint answered 401/),
      });
      expect(JSON.stringify(outcome)).not.toContain('enigma');
    }));

  it.each([
    [
      'cannot be reached',
      'http://127.0.0.1:1',
      'the issuer gives no metadata, neither of OpenID Connect nor of RFC 8414',
    ],
  ])('fails when the authorization server %s', (_, issuerUri, error) =>
    withSender(async () => {
      expect(await send(client({ issuerUri }))).toMatchObject({ kind: 'FAILED', error: `no access token: ${error}` });
    }),
  );

  it('refuses metadata of another issuer', () =>
    withSender(async () => {
      const metadata = await openReceiver((_, response) => {
        const body = { issuer: 'https://other.example', token_endpoint: `${issuer}/token` };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
      try {
        expect((await send(client({ issuerUri: new URL(metadata.url).origin }))).kind).toBe('FAILED');
        expect(tokenRequests).toEqual([]);
      } finally {
        await metadata.close();
      }
    }));

  it('reads no endless answer of the authorization server', () =>
    withSender(async () => {
      const endless = await openReceiver((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"access_token":"${'x'.repeat(10_000_000)}"`);
      });
      try {
        const outcome = await send(client({ tokenUri: endless.url }));
        expect(outcome).toMatchObject({
          kind: 'FAILED',
          error: 'no access token: the authorization server cannot be reached',
        });
      } finally {
        await endless.close();
      }
    }));

  it('guards the authorization server like the receiver, also when public metadata names a private endpoint', () =>
    withSender(async () => {
      // 127.0.0.1 takes the part of a public address here
      const allowsAddress = (address: string): boolean => address === '127.0.0.1';
      const guarded = createWebhookSender({ rule: { allowsAddress, allowsLocalNames: false } });
      const metadata = await openReceiver((_, response) => {
        const body = { issuer: new URL(metadata.url).origin, token_endpoint: 'http://127.0.0.2:1/token' };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
      try {
        const before = receiver.received.length;
        const outcome = await guarded.send({
          url: receiver.url,
          oauth2Registration: client({ issuerUri: new URL(metadata.url).origin }),
          secrets: [],
          id: 'msg_1',
          timestamp: new Date(),
          body: '{}',
        });
        expect([outcome.kind, receiver.received.length]).toEqual(['REFUSED_TARGET', before]);
      } finally {
        await Promise.all([guarded.close(), metadata.close()]);
      }
    }));
});

describe('a registration', () => {
  const of = (value: unknown) =>
    oauth2Faults(value, '/oauth2Registration', everyTarget).map(({ pointer, detail }) => `${pointer} ${detail}`);

  it('needs a client and a place to get tokens', () => {
    expect(of(client())).toEqual([]);
    expect(of({})).toEqual([
      '/oauth2Registration needs issuerUri or tokenUri',
      '/oauth2Registration/clientId is required',
      '/oauth2Registration/clientSecret is required',
    ]);
    expect(of({ tokenUri: `${issuer}/token`, clientId: 'a', clientAuthenticationMethod: 'none' })).toEqual([]);
  });

  it('names every fault at its place and repeats no secret', () => {
    const faults = of({
      issuerUri: 'ftp://example.org',
      clientId: 7,
      clientSecret: ['enigma'],
      clientAuthenticationMethod: 'tls',
      authorizationGrantType: 'password',
      scopes: 'a',
    });
    expect(faults).toEqual([
      '/oauth2Registration/scopes "scopes" is not a member of oauth2Registration',
      '/oauth2Registration/clientId must be a text',
      '/oauth2Registration/clientSecret must be a text',
      '/oauth2Registration/issuerUri has the scheme "ftp"; http and https are possible',
      expect.stringMatching(/^\/oauth2Registration\/clientAuthenticationMethod "tls" is none of basic, /),
      '/oauth2Registration/authorizationGrantType "password" is not client_credentials',
    ]);
    expect(faults.join()).not.toContain('enigma');
  });
});
