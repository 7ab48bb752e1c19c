import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';

/** A session that has ended. */
export interface EndedSession {
  readonly personUuid: string;
  /** The header that deletes the cookie. */
  readonly cookie: string;
}

/**
 * Ends the session of the browser with its grants. Its refresh tokens and access tokens are refused from then on.
 *
 * @returns undefined when there is no session
 */
export const endSession = async (
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<EndedSession | undefined> => {
  const session = await provider.Session.get(provider.createContext(request, response));
  const { accountId: personUuid } = session;
  if (personUuid === undefined) return undefined;
  for (const { grantId } of Object.values(session.authorizations ?? {})) {
    if (grantId === undefined) continue;
    await Promise.all([
      provider.RefreshToken.revokeByGrantId(grantId),
      provider.AuthorizationCode.revokeByGrantId(grantId),
      provider.Grant.adapter.destroy(grantId),
    ]);
  }
  await session.destroy();
  const forgotten = 'Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax';
  return { personUuid, cookie: `${provider.cookieName('session')}=; ${forgotten}` };
};
