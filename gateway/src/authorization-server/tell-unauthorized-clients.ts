import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * A known client that requests a grant type that it may not use gets `unauthorized_client` (RFC 6749 section 5.2),
 * where the provider would answer `invalid_request`.
 */
export const tellUnauthorizedClients = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
  await next();
  const body: unknown = ctx.body;
  // `oidc` is missing for a path or method that the provider does not have
  if (ctx.status !== 400 || typeof body !== 'object' || body === null) return;
  const { client, params, route } = ctx.oidc;
  const grantType: unknown = params?.['grant_type'];
  if (route !== 'token' || client === undefined || typeof grantType !== 'string') return;
  if (client.grantTypeAllowed(grantType)) return;
  if ('error' in body && body.error === 'invalid_request') ctx.body = { ...body, error: 'unauthorized_client' };
};
