import type { AdaptorProperties } from '../properties/adaptor-properties.js';

type Credentials = Pick<AdaptorProperties, 'authServerUrl' | 'clientId' | 'clientSecret'>;

const timeoutMs = 10_000;

/**
 * Does the authorization server accept the credentials that the message bus refuses? Then they are right, and the users of
 * the bus are another list, which lacks them. False when it refuses them, or does not answer.
 */
export const acceptsCredentials = async ({ authServerUrl, clientId, clientSecret }: Credentials): Promise<boolean> => {
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
    return answer.ok;
  } catch {
    return false;
  }
};
