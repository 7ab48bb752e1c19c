import type { EndpointDescription } from '@fds/rest-facade';

type Parameter = EndpointDescription['parameters'][number];
type Answer = EndpointDescription['answers'][number];

const text = { type: 'string' } as const;
const tag = 'Signing in';

const parameter = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: text,
});

const tokens: Answer['content'] = {
  'application/json': {
    type: 'object',
    properties: {
      access_token: text,
      refresh_token: text,
      id_token: text,
      token_type: { type: 'string', enum: ['Bearer'] },
      expires_in: { type: 'integer', description: 'Seconds' },
    },
    required: ['access_token', 'token_type'],
  },
};

const signedIn: Answer = { status: 200, summary: 'The tokens', content: tokens, headers: [] };

const onwards = (summary: string): Answer => ({
  status: 302,
  summary,
  content: {},
  headers: [{ name: 'Location' }, { name: 'Set-Cookie' }],
});

const code = { type: 'object', properties: { code: text }, required: ['code'] };

/**
 * The descriptions of the sign-in addresses in the OpenAPI document and in GET `/endpoints`. Browsers follow redirects
 * through them. They need no token and, as OAuth 2.0 requires, ignore unknown parameters.
 */
export const openidEndpoints: readonly EndpointDescription[] = [
  {
    declaration: {
      method: 'GET',
      path: '/openid/login',
      operationId: 'startLogin',
      tag,
      summary: 'Redirect a browser to the sign-in at the provider',
    },
    access: 'open',
    ignoresOthers: true,
    parameters: [
      parameter(
        'redirect_uri',
        'Address to which the browser is redirected with a one-time code; without it, the answer contains the tokens',
      ),
      parameter('state', 'Returned with the code'),
    ],
    answers: [onwards('To the provider')],
    refused: [400, 429],
  },
  {
    declaration: {
      method: 'GET',
      path: '/openid/code',
      operationId: 'completeLogin',
      tag,
      summary: 'Complete a sign-in: the provider redirects the browser here',
    },
    access: 'open',
    ignoresOthers: true,
    parameters: [
      parameter('code', 'Set by the provider'),
      parameter('state', 'Set by the provider'),
      parameter('iss', 'Set by the provider'),
    ],
    answers: [signedIn, onwards('To the redirect_uri of the sign-in, with a one-time code')],
    refused: [400, 403, 429],
  },
  {
    declaration: {
      method: 'POST',
      path: '/openid/code',
      operationId: 'exchangeLoginCode',
      tag,
      summary: 'Exchange a one-time code for the tokens',
    },
    access: 'open',
    parameters: [],
    bodies: { 'application/json': code, 'application/x-www-form-urlencoded': code },
    answers: [signedIn],
    refused: [400, 413, 415, 429],
  },
  {
    declaration: {
      method: 'GET',
      path: '/openid/logout',
      operationId: 'endLogin',
      tag,
      summary: 'Sign a browser out, and end its session with all tokens',
    },
    access: 'open',
    ignoresOthers: true,
    parameters: [
      parameter('redirect_uri', 'Address to which the browser is redirected afterwards'),
      parameter('post_logout_redirect_uri', 'The same parameter under its OpenID Connect name'),
    ],
    answers: [
      { status: 200, summary: 'A page that confirms it', content: { 'text/html': text }, headers: [] },
      onwards('To the provider, or to the redirect_uri'),
    ],
    refused: [400, 429],
  },
];
