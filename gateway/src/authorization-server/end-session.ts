import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';

/**
 * Ends the session of the browser with its grants. Its refresh tokens and access tokens are refused from then on.
 *
 * @returns the header that deletes the cookie; undefined when there is no session
 */
export const endSession = async (
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string | undefined> => {
  const session = await provider.Session.get(provider.createContext(request, response));
  if (session.accountId === undefined) return undefined;
  for (const { grantId } of Object.values(session.authorizations ?? {})) {
    if (grantId === undefined) continue;
    await Promise.all([
      provider.RefreshToken.revokeByGrantId(grantId),
      provider.AuthorizationCode.revokeByGrantId(grantId),
      provider.Grant.adapter.destroy(grantId),
    ]);
  }
  await session.destroy();
  return `${provider.cookieName('session')}=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax`;
};
