import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { SignIn } from '../audit/index.js';
import { holderUuidMetadata, metadataText } from './holder-metadata.js';

/** Receives each success. It must not throw. */
export type ReportSignIn = (signIn: SignIn) => void;

type AddressOf = (request: IncomingMessage) => string;

/** The origin of a request. Its parameters are left out: they contain secrets. */
export const requestFacts = (
  { req, oidc, path }: KoaContextWithOIDC,
  addressOf: AddressOf,
): Pick<SignIn, 'resource' | 'clientId' | 'address' | 'userAgent'> => {
  const address = addressOf(req);
  return {
    resource: path,
    clientId: oidc.client?.clientId,
    // the service itself exchanges the codes of its sign-in page, and has no address
    ...(address === '' ? {} : { address, userAgent: req.headers['user-agent'] }),
  };
};

const waysOfGrant: Readonly<Record<string, SignIn['way']>> = {
  authorization_code: 'AUTHORIZATION_CODE',
  client_credentials: 'CLIENT_CREDENTIALS',
  refresh_token: 'REFRESH_TOKEN',
};

/** The person or adaptor that a token belongs to. */
const holderOf = ({ client, entities }: KoaContextWithOIDC['oidc']): string | undefined =>
  entities.Account?.accountId ?? entities.RefreshToken?.accountId ?? metadataText(client, holderUuidMetadata);

/** Reports the tokens that the provider issues, and the grants that it revokes. */
export const reportSignIns = (provider: Provider, addressOf: AddressOf, report: ReportSignIn): void => {
  provider.on('grant.success', (ctx) => {
    const way = waysOfGrant[String(ctx.oidc.params?.['grant_type'])];
    if (way !== undefined) report({ actorUuid: holderOf(ctx.oidc), way, ...requestFacts(ctx, addressOf) });
  });
  provider.on('grant.revoked', (ctx) => {
    // at the token endpoint, a code or refresh token was used twice
    const way = ctx.oidc.route === 'revocation' ? 'REVOCATION' : 'TOKEN_REUSED';
    report({ actorUuid: holderOf(ctx.oidc), way, ...requestFacts(ctx, addressOf) });
  });
};
