import type { IncomingMessage } from 'node:http';
import type { Principal, TokenClaims, TokenVerifier } from '@fds/auth';
import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import type { IdentityDirectory } from '@fds/identity';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { requestFacts, type ReportSignIn } from './report-sign-ins.js';
import { holderUuidMetadata, metadataText } from './holder-metadata.js';

/** The caller that introspects a token, and the token's holder. */
interface IntrospectionCase {
  readonly asker: Principal;
  readonly holder: Principal;
}

/**
 * May a client see whether a token of another client is valid, and its holder (RFC 7662 section 4: "a protected
 * resource ... is limited to tokens meant for it")? Tokens are meant for this service only, which verifies them itself.
 * Callers that may read the holder's permissions may introspect, and for an adaptor callers that may read its
 * credentials. They see nothing that they could not read before.
 */
const mayIntrospect = async (
  { prisma }: Pick<Database, 'prisma'>,
  { asker, holder }: IntrospectionCase,
): Promise<boolean> => {
  if (asker.uuid === holder.uuid || asker.permits('GET', `/permissions/${holder.uuid}`)) return true;
  if (holder.kind !== 'ADAPTOR') {
    return holder.zones.some(({ zoneUuid, zoneUserUuid }) =>
      asker.permits('GET', `/zones/${zoneUuid}/users/${zoneUserUuid}/permissions`),
    );
  }
  const adaptor = await prisma.adaptor.findUnique({ where: { uuid: holder.uuid }, select: { zoneUuid: true } });
  return adaptor !== null && asker.permits('GET', `/zones/${adaptor.zoneUuid}/adaptors/${holder.uuid}/registration`);
};

/** Dependencies of the introspection and revocation of self-contained tokens. */
export interface SelfContainedTokens {
  readonly verifier: TokenVerifier;
  readonly directory: IdentityDirectory;
  readonly database: Database;
  /** Returns the address that a request to the provider came from. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Called for each issued or revoked token. */
  readonly onSignIn?: ReportSignIn | undefined;
}

interface Answer {
  /** Holder of the token that the request has ended. */
  readonly endedUuid?: string;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | '';
}

/** The claims of a token that the doors would accept now; undefined for any other text. */
const findActive = async (
  { verifier, directory }: SelfContainedTokens,
  token: string,
): Promise<{ readonly claims: TokenClaims; readonly holder: Principal } | undefined> => {
  try {
    const claims = await verifier.verify(token);
    return { claims, holder: await directory.principalOf(claims) };
  } catch (error) {
    if (error instanceof AppError && (error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN')) return undefined;
    throw error;
  }
};

/** RFC 7662 section 2.2. A token that the client may not ask about gets the same answer as an invalid one. */
const introspect = async (
  tokens: SelfContainedTokens,
  token: string,
  client: { readonly clientId: string; readonly holderUuid: string | undefined },
): Promise<Answer> => {
  const found = await findActive(tokens, token);
  const inactive = { status: 200, body: { active: false } };
  if (found === undefined) return inactive;
  const { claims, holder } = found;
  const { clientId, holderUuid } = client;
  if (claims.client_id !== clientId) {
    const asker = holderUuid === undefined ? undefined : await tokens.directory.findPrincipal(holderUuid);
    if (asker === undefined || !(await mayIntrospect(tokens.database, { asker, holder }))) return inactive;
  }
  return { status: 200, body: { active: true, token_type: 'Bearer', username: holder.username, ...claims } };
};

/** RFC 7009 section 2.1: tokens of other clients are refused, and a token that is no longer valid counts as revoked. */
const revoke = async (tokens: SelfContainedTokens, token: string, clientId: string): Promise<Answer> => {
  const found = await findActive(tokens, token);
  if (found === undefined) return { status: 200, body: '' };
  if (found.claims.client_id !== clientId) {
    return {
      status: 400,
      body: { error: 'unauthorized_client', error_description: 'the token was issued to another client' },
    };
  }
  await tokens.directory.revoke(found.claims);
  return { status: 200, body: '', endedUuid: found.holder.uuid };
};

const isRefusal = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'error' in body && body.error === 'unsupported_token_type';

/**
 * The provider authenticates the client and then refuses self-contained tokens (`unsupported_token_type`), because it
 * does not store them. This step of its pipeline answers for them. The provider still handles opaque tokens.
 *
 * @param onFailure answers when the step itself fails
 */
export const answerSelfContainedTokens =
  (tokens: SelfContainedTokens, onFailure: (ctx: KoaContextWithOIDC, error: unknown) => void) =>
  async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (!isRefusal(ctx.body)) return;
    const { client, params, route } = ctx.oidc;
    const token: unknown = params?.['token'];
    if (client === undefined || typeof token !== 'string') return;
    try {
      const { status, body, endedUuid } =
        route === 'introspection'
          ? await introspect(tokens, token, {
              clientId: client.clientId,
              holderUuid: metadataText(client, holderUuidMetadata),
            })
          : await revoke(tokens, token, client.clientId);
      ctx.status = status;
      ctx.body = body;
      if (endedUuid !== undefined)
        tokens.onSignIn?.({ actorUuid: endedUuid, way: 'REVOCATION', ...requestFacts(ctx, tokens.addressOf) });
    } catch (error) {
      onFailure(ctx, error);
    }
  };
