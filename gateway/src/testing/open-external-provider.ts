import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { Provider } from 'oidc-provider/lib/provider.js';

/** An OpenID provider of a company. People sign in there with their id only. */
export interface ExternalProviderOfTests {
  readonly issuer: string;
  /** Starts to serve. Before, its port answers nothing useful. @param redirectUris allowed targets of codes */
  serve(redirectUris: readonly string[]): void;
  /** A token signed with its current key. It is valid unless the claims make it invalid. */
  sign(claims?: Readonly<Record<string, unknown>>, typ?: string): Promise<string>;
  /** Uses a new key from now on; the old one is no longer published. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

export interface ExternalProviderOfTestsOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** For its access tokens, which are JWTs. */
  readonly audience: string;
}

interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

const newKey = async (): Promise<SigningKey> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), use: 'sig', alg: 'RS256' };
  return { privateKey, jwk };
};

export const openExternalProvider = async (
  options: ExternalProviderOfTestsOptions,
): Promise<ExternalProviderOfTests> => {
  const { clientId, clientSecret, audience } = options;
  let key = await newKey();
  let redirects: readonly string[] | undefined;
  let handle: ReturnType<Provider['callback']> | undefined;
  const server = createServer((request, response) => {
    if (handle === undefined) response.writeHead(503).end();
    else void handle(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const start = (): void => {
    const provider = new Provider(issuer, {
      jwks: { keys: [key.jwk] },
      cookies: { keys: ['a key of the tests'] },
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [...(redirects ?? [])],
          post_logout_redirect_uris: [...(redirects ?? [])],
          grant_types: ['authorization_code'],
        },
      ],
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
      features: {
        resourceIndicators: {
          enabled: true,
          defaultResource: () => audience,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: '',
            audience,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    });
    handle = provider.callback();
  };

  return {
    issuer,
    serve: (redirectUris) => {
      redirects = redirectUris;
      start();
    },
    sign: (claims = {}, typ = 'at+jwt') => {
      const nowSeconds = Math.floor(Date.now() / 1000);
      const standard = { iss: issuer, aud: audience, sub: 'someone', iat: nowSeconds, exp: nowSeconds + 600 };
      return new SignJWT({ ...standard, jti: crypto.randomUUID(), client_id: clientId, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ, kid: key.jwk.kid ?? '' })
        .sign(key.privateKey);
    },
    rotateKeys: async () => {
      key = await newKey();
      start();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
