import { exitStatus, Failure, Unreachable } from './failure.js';
import type { SignIn } from './credentials.js';

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
  readonly error?: string;
  readonly error_description?: string;
}

/** The public client of a sign-in in a browser. */
export const browserClientId = 'fds-cli';

/** Sends a request to the service. @throws Failure when it is not reachable */
export const send = async (url: string, init?: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, init);
  } catch (error) {
    const cause = (error as Error).cause as { readonly code?: string; readonly message?: string } | undefined;
    const why = cause?.code ?? cause?.message ?? (error as Error).message;
    throw new Unreachable(`${new URL(url).origin} cannot be reached: ${why}`);
  }
};

const requestTokens = async (url: string, form: Readonly<Record<string, string>>): Promise<TokenAnswer> => {
  const answer = await send(`${url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  const text = await answer.text();
  let tokens: TokenAnswer;
  try {
    tokens = JSON.parse(text) as TokenAnswer;
  } catch {
    throw new Failure(exitStatus.fault, `${url} is not the address of a Federated Data Service`);
  }
  if (answer.ok) return tokens;
  const why = tokens.error_description ?? tokens.error ?? `status ${answer.status}`;
  if (answer.status === 404)
    throw new Failure(exitStatus.fault, `${url} is not the address of a Federated Data Service`);
  const isRefused = ['invalid_client', 'invalid_grant', 'unauthorized_client'].includes(tokens.error ?? '');
  throw new Failure(isRefused ? exitStatus.notSignedIn : exitStatus.fault, `the sign-in was refused: ${why}`);
};

const toSignIn = (base: Pick<SignIn, 'url' | 'clientId' | 'clientSecret'>, tokens: TokenAnswer): SignIn => ({
  ...base,
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token,
  expiresAt: Date.now() + tokens.expires_in * 1000,
});

/** Signs a service account in, or a person by the password. @throws Failure 3 when the secret is wrong */
export const signInAsClient = async (url: string, clientId: string, clientSecret: string): Promise<SignIn> => {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return toSignIn({ url, clientId, clientSecret }, await requestTokens(url, form));
};

/** Exchanges the code of a sign-in in a browser. */
export const exchangeCode = async (
  url: string,
  { code, verifier, redirectUri }: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
): Promise<SignIn> => {
  const form = {
    grant_type: 'authorization_code',
    client_id: browserClientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  };
  return toSignIn({ url, clientId: browserClientId }, await requestTokens(url, form));
};

/** Gets a new access token without the user. @throws Failure 3 when the sign-in has ended */
export const renew = async (signIn: SignIn): Promise<SignIn> => {
  const { url, clientId, clientSecret, refreshToken } = signIn;
  if (clientSecret !== undefined) return signInAsClient(url, clientId, clientSecret);
  if (refreshToken === undefined) throw new Failure(exitStatus.notSignedIn, 'the sign-in has ended: run fds login');
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
  return toSignIn({ url, clientId }, await requestTokens(url, form));
};

/**
 * Ends a sign-in at the service: that of a browser with all its tokens, or the token of a client.
 *
 * @throws Failure when the service does not confirm it
 */
export const revoke = async ({ url, clientId, clientSecret, accessToken, refreshToken }: SignIn): Promise<void> => {
  const form = {
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    token: refreshToken ?? accessToken,
  };
  const answer = await send(`${url}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams(form) });
  await answer.body?.cancel();
  // 401: the client or its secret is no longer valid, so neither are its tokens
  if (!answer.ok && answer.status !== 401)
    throw new Failure(exitStatus.fault, `${url} did not end the sign-in: status ${answer.status}`);
};
