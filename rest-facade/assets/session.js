// The sign-in of a page: by button, authorization code with PKCE between the service and its provider. The access token is kept in
// this tab (session storage), never in an address, and not longer than it is valid. Refresh tokens are not kept.
const tokenKey = 'fds-session';
const attemptKey = 'fds-sign-in';

const metaOf = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? '';

/** Address that clients see; a sign-in ends there. */
const baseUrl = metaOf('fds-base-url') || location.origin;
const isAtBase = location.origin === new URL(baseUrl, location.href).origin;

const randomText = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
};

const readStored = (key) => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
};

/** Takes parameters out of the address that the browser shows. */
const cleanAddress = (...names) => {
  const url = new URL(location.href);
  for (const name of names) url.searchParams.delete(name);
  history.replaceState(null, '', url.pathname + url.search + url.hash);
};

const startSignIn = () => {
  const page = new URL(location.pathname, baseUrl);
  if (!isAtBase) {
    // the sign-in belongs to the browser's cookies of the other address
    page.search = location.search;
    page.searchParams.set('sign-in', 'start');
    location.assign(page.href);
    return;
  }
  const state = randomText();
  sessionStorage.setItem(attemptKey, JSON.stringify({ state, returnTo: location.search + location.hash }));
  const login = new URL('/openid/login', baseUrl);
  login.searchParams.set('redirect_uri', page.href);
  login.searchParams.set('state', state);
  location.assign(login.href);
};

const exchangeCode = async (code) => {
  const answer = await fetch('/openid/code', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ code }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail ?? 'the sign-in failed');
  const expiresAt = Date.now() + (body.expires_in ?? 3600) * 1000;
  sessionStorage.setItem(tokenKey, JSON.stringify({ token: body.access_token, expiresAt }));
};

/** Completes a sign-in that led back to this page. The code in the address is good for one use. */
const completeSignIn = async () => {
  const parameters = new URLSearchParams(location.search);
  const code = parameters.get('code');
  const state = parameters.get('state');
  if (code === null || state === null) return;
  const attempt = readStored(attemptKey);
  sessionStorage.removeItem(attemptKey);
  history.replaceState(null, '', location.pathname + (attempt?.returnTo ?? ''));
  if (attempt?.state === state) await exchangeCode(code);
};

/** The valid token of this tab; undefined: no user is signed in. */
export const currentToken = () => {
  const stored = readStored(tokenKey);
  if (stored !== null && stored.expiresAt > Date.now()) return stored.token;
  if (stored !== null) endSession();
  return undefined;
};

/** Forgets the token, as when the service refuses it, and offers the sign-in again. */
export const endSession = (text = 'The sign-in has ended.') => {
  sessionStorage.removeItem(tokenKey);
  showSignedOut(text);
};

const signOut = () => {
  sessionStorage.removeItem(tokenKey);
  const logout = new URL('/openid/logout', baseUrl);
  logout.searchParams.set('redirect_uri', new URL(location.pathname, baseUrl).href);
  location.assign(logout.href);
};

let act = () => {};
document.getElementById('session-button').addEventListener('click', () => act());

const show = (text, label, onClick) => {
  act = onClick;
  document.getElementById('session-text').textContent = text;
  const button = document.getElementById('session-button');
  button.textContent = label;
  button.hidden = false;
};

const showSignedOut = (text) => show(text, 'Sign in', startSignIn);

const showHolder = async (token) => {
  show('Signed in', 'Sign out', signOut);
  const answer = await fetch('/api/token', { headers: { authorization: `Bearer ${token}` } });
  if (answer.status === 401) {
    endSession();
    return undefined;
  }
  const holder = await answer.json();
  show(`Signed in as ${holder.username ?? holder.ssoId ?? holder.sub ?? 'somebody'}`, 'Sign out', signOut);
  return holder;
};

/**
 * Completes a sign-in, shows the signed-in user, and returns the answer of GET /token; undefined: no user is signed in.
 */
export const openSession = async () => {
  try {
    await completeSignIn();
  } catch (error) {
    showSignedOut(`The sign-in failed: ${error.message}`);
    return undefined;
  }
  const token = currentToken();
  if (token !== undefined) return showHolder(token);
  if (readStored(tokenKey) === null) showSignedOut('Not signed in');
  if (new URLSearchParams(location.search).get('sign-in') === 'start') {
    cleanAddress('sign-in');
    startSignIn();
  }
  return undefined;
};
