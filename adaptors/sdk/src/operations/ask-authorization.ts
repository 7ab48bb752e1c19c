import type { AdaptorProperties } from '../properties/adaptor-properties.js';

type Credentials = Pick<AdaptorProperties, 'authServerUrl' | 'clientId' | 'clientSecret'>;

const timeoutMs = 10_000;

/** ACCEPTED and REFUSED: the credentials. NO_ANSWER: nothing is known about them. */
export type Authorization = 'ACCEPTED' | 'REFUSED' | 'NO_ANSWER';

/** Statuses with which an authorization server refuses a client (RFC 6749, section 5.2), or its use. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403]);

/**
 * Asks the authorization server about the credentials that the message bus refuses. If it accepts them, they are right, and the users
 * of the bus are another list, which lacks them.
 */
export const askAuthorization = async ({
  authServerUrl,
  clientId,
  clientSecret,
}: Credentials): Promise<Authorization> => {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  try {
    const answer = await fetch(`${authServerUrl.replace(/\/+$/, '')}/oauth2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body?.cancel();
    if (answer.ok) return 'ACCEPTED';
    return refusals.has(answer.status) ? 'REFUSED' : 'NO_ANSWER';
  } catch {
    return 'NO_ANSWER';
  }
};
