import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import type { CommandContext } from '../command-context.js';
import type { SignIn } from '../credentials.js';
import { exitStatus, Failure, usageFailure } from '../failure.js';
import { browserClientId, exchangeCode, revoke, signInAsClient } from '../tokens.js';

export interface LoginOptions {
  readonly url?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly clientSecretStdin?: boolean;
  readonly browser: boolean;
}

/** Time that the service gives a person to sign in. */
const signInMs = 600_000;

const readUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '')
    throw usageFailure(`--url ${text} is not the address of a service, such as https://fds.example`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
};

const isSame = (given: string | null, expected: string): boolean => {
  const [a, b] = [given ?? '', expected].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
};

const openBrowser = (url: string): void => {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  // without a browser the person opens the printed address
  child.on('error', () => undefined);
  child.unref();
};

/** Waits for the browser to bring the code. The answer to it says that the person can close the window. */
const receiveCode = (server: Server, state: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Failure(exitStatus.notSignedIn, 'no user signed in within ten minutes')),
      signInMs,
    );
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const isOurs = pathname === '/signed-in' && isSame(searchParams.get('state'), state);
      const code = searchParams.get('code');
      const text = isOurs && code !== null ? 'You are signed in. You can close this window.' : 'The sign-in failed.';
      response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end(`${isOurs ? text : 'Nothing is here.'}\n`);
      // a request of another page changes nothing
      if (!isOurs) return;
      clearTimeout(timer);
      if (code !== null) return resolve(code);
      const why = searchParams.get('error_description') ?? searchParams.get('error') ?? 'no code';
      reject(new Failure(exitStatus.notSignedIn, `the sign-in was refused: ${why}`));
    });
  });

const signInByBrowser = async (url: string, { say }: CommandContext, mayOpen: boolean): Promise<SignIn> => {
  const [state, verifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/signed-in`;
    const query = new URLSearchParams({
      client_id: browserClientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid profile',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const address = `${url}/oauth2/auth?${query.toString()}`;
    const received = receiveCode(server, state);
    say(`Sign in at ${address}`);
    if (mayOpen) openBrowser(address);
    return await exchangeCode(url, { code: await received, verifier, redirectUri });
  } finally {
    server.close();
    server.closeIdleConnections();
  }
};

const chooseWay = ({ clientId, clientSecret, clientSecretStdin }: LoginOptions): 'browser' | 'client' => {
  if (clientSecret !== undefined && clientSecretStdin === true)
    throw usageFailure('--client-secret and --client-secret-stdin cannot be given together');
  const hasSecret = clientSecret !== undefined || clientSecretStdin === true;
  if (clientId === undefined && hasSecret) throw usageFailure('a client secret needs --client-id');
  if (clientId !== undefined && !hasSecret)
    throw usageFailure('--client-id needs --client-secret or --client-secret-stdin');
  return clientId === undefined ? 'browser' : 'client';
};

/** `fds login` */
export const login = async (context: CommandContext, options: LoginOptions): Promise<void> => {
  const { store, say, readInput, contextName } = context;
  const way = chooseWay(options);
  const before = await store.read();
  const given = options.url ?? before.contexts[contextName ?? before.current ?? '']?.url;
  if (given === undefined) throw usageFailure('--url is missing: the address of the service');
  const url = readUrl(given);
  const secretOf = async (): Promise<string> => options.clientSecret ?? (await readInput()).replace(/\r?\n$/, '');
  const signIn =
    way === 'browser'
      ? await signInByBrowser(url, context, options.browser)
      : await signInAsClient(url, options.clientId ?? '', await secretOf());
  const name = contextName ?? new URL(url).host;
  await store.change(({ contexts }) => ({ current: name, contexts: { ...contexts, [name]: signIn } }));
  say(`Signed in to ${url}, context ${name}`);
};

/** `fds logout`: the sign-in is forgotten when the service has ended it, so that a failed sign-out can be repeated. */
export const logout = async (
  { store, say, contextName }: CommandContext,
  { local }: { readonly local?: boolean },
): Promise<void> => {
  let ended: SignIn | undefined;
  await store.change(async (before) => {
    const name = contextName ?? before.current;
    ended = name === undefined ? undefined : before.contexts[name];
    if (name === undefined || ended === undefined) return before;
    if (local !== true) await revoke(ended);
    const { [name]: _ended, ...others } = before.contexts;
    return { current: before.current === name ? undefined : before.current, contexts: others };
  });
  say(ended === undefined ? 'You are not signed in' : `Signed out of ${ended.url}`);
};
