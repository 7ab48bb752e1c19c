import { SetupFailure } from './setup-failure.js';

/** The REST interface of a server, for one signed-in caller. */
export interface ServerApi {
  /** Address of the server, without a slash at the end. */
  readonly server: string;
  /**
   * Sends a request and reads its answer.
   *
   * @param what the caller's purpose, for the error message
   * @throws SetupFailure with the server's reason and the places in the body
   */
  send<Body>(what: string, method: 'GET' | 'POST' | 'PATCH', path: string, json?: unknown): Promise<Body>;
  /** All elements of a list. */
  list<Element>(what: string, path: string, collection: string): Promise<readonly Element[]>;
}

interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly error?: string;
  readonly error_description?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

const pageSize = 200;

/** `http://host:8080`, from an address that may end in a slash or in `/api`. @throws SetupFailure */
export const serverAddress = (text: string): string => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new SetupFailure(`"${text}" is not the address of a server; write for example http://localhost:8080`);
  return text.replace(/\/+$/, '').replace(/\/api$/, '');
};

/** `fetch` puts the network error into `cause`, which has a code but not always a message. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  if (!(cause instanceof Error)) return message;
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message !== '' ? cause.message : (code ?? message);
};

const request = async (what: string, url: string, init: RequestInit): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) }).catch((error: unknown) => {
    throw new SetupFailure(`${what}: the server at ${new URL(url).origin} cannot be reached (${reasonOf(error)})`);
  });
  const text = await answer.text();
  try {
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  } catch {
    throw new SetupFailure(`${what}: ${url} answers ${answer.status} and no JSON; is it the address of the server?`);
  }
};

const advice: Readonly<Record<number, string>> = {
  401: 'the token is not valid; sign in again',
  403: 'your user lacks the permission',
};

const failureOf = (what: string, status: number, body: unknown): SetupFailure => {
  const { title, detail, error_description, error, errors = [] } = (body ?? {}) as Problem;
  const places = errors.map(({ pointer, detail: text }) => `\n  ${pointer}: ${text}`).join('');
  const reason = detail ?? error_description ?? title ?? error ?? 'no reason given';
  return new SetupFailure(
    `${what}: ${[advice[status], `${reason} (status ${status})`].filter(Boolean).join('; ')}${places}`,
  );
};

const refusedSignIn = (server: string, user: string, status: number, body: unknown): SetupFailure => {
  const { error, error_description: description } = (body ?? {}) as Problem;
  const told = `${description ?? error ?? 'no reason given'} (status ${status})`;
  if (error === 'unauthorized_client')
    return new SetupFailure(
      `sign in: the user ${user} gets no token by a password: ${told}. A person signs in with a browser at ${server}/openid/login, ` +
        'and gives the access_token of the answer with --token or FDS_TOKEN. A program uses a service account: --user with its clientId, and FDS_PASSWORD with its clientSecret',
    );
  return new SetupFailure(`sign in: the server does not accept the user ${user} with this password: ${told}`);
};

/** An access token by client credentials. @throws SetupFailure */
export const signIn = async (server: string, user: string, password: string): Promise<string> => {
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const { status, body } = await request('sign in', `${server}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const token = (body as { access_token?: unknown } | undefined)?.access_token;
  if (status === 401 || status === 400) throw refusedSignIn(server, user, status, body);
  if (status !== 200 || typeof token !== 'string') throw failureOf('sign in', status, body);
  return token;
};

export const openServerApi = (server: string, token: string): ServerApi => {
  const send: ServerApi['send'] = async <Body>(
    what: string,
    method: string,
    path: string,
    json?: unknown,
  ): Promise<Body> => {
    const { status, body } = await request(what, `${server}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    if (status < 200 || status > 299) throw failureOf(what, status, body);
    return body as Body;
  };
  return {
    server,
    send,
    list: async <Element>(what: string, path: string, collection: string): Promise<readonly Element[]> => {
      const found: Element[] = [];
      for (let page = 0, pages = 1; page < pages; page += 1) {
        const separator = path.includes('?') ? '&' : '?';
        const body = await send<Record<string, unknown>>(
          what,
          'GET',
          `${path}${separator}page=${page}&size=${pageSize}`,
        );
        found.push(...((body[collection] ?? []) as readonly Element[]));
        pages = (body['_page'] as { readonly totalPages?: number } | undefined)?.totalPages ?? 1;
      }
      return found;
    },
  };
};
