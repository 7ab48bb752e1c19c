import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Leftovers } from './leftovers.js';

/** An external issuer of access tokens. It has metadata and keys, but no sign-in page. */
export interface TokenIssuer {
  /** Settings of a service that accepts its tokens. */
  readonly settings: Readonly<Record<string, string>>;
  /** A token of the person with this SSO id. */
  sign(ssoId: string, lifetimeSeconds: number): Promise<string>;
}

const clientId = 'service-of-the-journey';

/** Opens it on a free port; it closes with the leftovers. */
export const openTokenIssuer = async (leftovers: Leftovers): Promise<TokenIssuer> => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'only', use: 'sig', alg: 'RS256' };
  const server = createServer(({ url }, response) => {
    const body = url === '/jwks' ? { keys: [key] } : metadata;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  leftovers.add(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  return {
    settings: { OIDC_ISSUER_URL: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: 'secret-of-the-journey' },
    sign: (ssoId, lifetimeSeconds) => {
      const iat = Math.floor(Date.now() / 1000);
      const claims = { iss: issuer, aud: clientId, sub: ssoId, client_id: clientId, iat, exp: iat + lifetimeSeconds };
      return new SignJWT({ ...claims, jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid })
        .sign(privateKey);
    },
  };
};
