import { stringify } from 'lossless-json';
import { request } from 'undici';
import { exchange, type Answer } from './exchange.js';

/** A signed-in client of the public doors. */
export interface Client {
  rest<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>>;
  /** Sends a GraphQL operation. @throws Error when the answer has errors */
  graphql<Data>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Data>;
  /** POST {dvs_url}/request */
  assemble<Body>(body: unknown): Promise<Answer<Body>>;
}

export interface ClientOptions {
  readonly baseUrl: string;
  readonly assemblyUrl: string;
  readonly username: string;
  readonly password: string;
}

/** An access token by client credentials. */
export const getToken = async ({
  baseUrl,
  username,
  password,
}: Pick<ClientOptions, 'baseUrl' | 'username' | 'password'>): Promise<string> => {
  const { statusCode, body } = await request(`${baseUrl}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${encodeURIComponent(username)}:${encodeURIComponent(password)}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`no token for ${username}: ${statusCode} ${text}`);
  return (JSON.parse(text) as { access_token: string }).access_token;
};

/** Signs in with client credentials, as the start-up text of the service explains. */
export const signIn = async (options: ClientOptions): Promise<Client> => {
  const token = await getToken(options);
  return {
    rest: (method, path, json) => exchange(`${options.baseUrl}/api${path}`, { method, token, json }),
    graphql: async <Data>(query: string, variables: Readonly<Record<string, unknown>> = {}) => {
      const { body } = await exchange<{ data?: Data; errors?: unknown }>(`${options.baseUrl}/graphql`, {
        method: 'POST',
        token,
        json: { query, variables },
      });
      if (body.errors !== undefined || body.data === undefined) throw new Error(`GraphQL: ${stringify(body)}`);
      return body.data;
    },
    assemble: (json) => exchange(`${options.assemblyUrl}/request`, { method: 'POST', token, json }),
  };
};
