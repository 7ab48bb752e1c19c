import { connect } from 'node:net';
import { ask, fill, type HostilePiece } from './hostile-piece.js';

/** Most bytes of the headers of a request. */
const headBytes = 15_000;
const bodyBytes = 990_000;

const encode = encodeURIComponent;
const base64 = (text: string): string => Buffer.from(text).toString('base64url');

const signature = '[a-z'.concat(']');

const searches: readonly (readonly [input: string, query: () => string])[] = [
  [
    'many terms',
    () =>
      Array.from({ length: 480 }, (_, n) => `id:a${n}`)
        .join(' OR ')
        .slice(0, 5_000),
  ],
  ['nested groups', () => `${'('.repeat(49)}id:a${')'.repeat(49)}`],
  ['groups without end', () => '('.repeat(4_900)],
  ['wildcards', () => Array.from({ length: 49 }, (_, n) => `id:a${'*b?'.repeat(9)}${n}`).join(' OR ')],
  ['regular expressions', () => Array.from({ length: 10 }, () => `id:/(${'(a|b)*'.repeat(20)}){9}/`).join(' OR ')],
  [
    'sets of regular expressions',
    () => Array.from({ length: 10 }, () => `id:/${`[^a-z]${signature}`.repeat(30)}/`).join(' OR '),
  ],
  ['fuzzy terms', () => Array.from({ length: 10 }, () => `id:${'a'.repeat(199)}~2`).join(' OR ')],
  ['signs', () => '+-'.repeat(2_400)],
  ['escapes', () => `id:${String.raw`\*`.repeat(2_400)}`],
];

const requests: readonly (readonly [
  door: string,
  input: string,
  path: (root: string) => string,
  headers?: () => Readonly<Record<string, string>>,
])[] = [
  ...searches.map(
    ([input, query]) =>
      ['GET /drs query', input, () => `/api/drs?filters=name:store&query=${encode(query())}`] as const,
  ),
  ['GET /drs', 'many filters', () => `/api/drs?filters=name:store${',a:b'.repeat(3_500)}`],
  ['GET /drs', 'many parameters', () => `/api/drs?${'a=b&'.repeat(3_700)}`],
  ['GET /drs', 'many fields', () => `/api/drs?filters=name:store&fields=${'uuid,'.repeat(2_900)}`],
  ['GET /drs', 'nested fields', () => `/api/drs?filters=name:store&fields=${'a('.repeat(7_000)}`],
  ['GET /drs', 'a long sort', () => `/api/drs?filters=name:store&sort=${'id,'.repeat(4_800)}`],
  ['GET /drs', 'a filter of a DR Key', () => `/api/drs?filters=name:store,dr-key:${'a'.repeat(14_000)}`],
  ['GET /drs', 'quotes in filters', () => `/api/drs?filters=${encode('"\\"').repeat(1_200)}`],
  ['GET /zones', 'percent signs', () => `/api/zones?filters=name:${'%25'.repeat(4_800)}`],
  ['any path', 'many segments', () => `/api${'/a'.repeat(7_400)}`],
  ['any path', 'a long segment', () => `/api/zones/${'a'.repeat(14_000)}`],
  [
    'headers',
    'Accept of many types',
    (root) => `/api/zones/${root}`,
    () => ({ accept: 'a/b;q=0.1,'.repeat(headBytes / 10) }),
  ],
  [
    'headers',
    'Accept of many parameters',
    (root) => `/api/zones/${root}`,
    () => ({ accept: `a/b${';a=b'.repeat(headBytes / 4)}` }),
  ],
  [
    'headers',
    'Accept-Encoding',
    (root) => `/api/zones/${root}`,
    () => ({ 'accept-encoding': 'gzip;q=0.1,'.repeat(headBytes / 11) }),
  ],
  [
    'headers',
    'If-None-Match of many tags',
    (root) => `/api/zones/${root}`,
    () => ({ 'if-none-match': '"a",'.repeat(headBytes / 4) }),
  ],
  [
    'headers',
    'If-None-Match without end',
    (root) => `/api/zones/${root}`,
    () => ({ 'if-none-match': 'W/"'.repeat(headBytes / 3) }),
  ],
  [
    'headers',
    'If-None-Match of blanks',
    (root) => `/api/zones/${root}`,
    () => ({ 'if-none-match': `"a"${' '.repeat(headBytes)}x` }),
  ],
  [
    'headers',
    'X-Forwarded-For of many addresses',
    (root) => `/api/zones/${root}`,
    () => ({ 'x-forwarded-for': '1.1.1.1,'.repeat(headBytes / 8) }),
  ],
  [
    'headers',
    'Forwarded',
    (root) => `/api/zones/${root}`,
    () => ({ forwarded: 'for="[::1]",'.repeat(headBytes / 12) }),
  ],
  ['headers', 'many cookies', () => '/openid/login', () => ({ cookie: 'a=b;'.repeat(headBytes / 4) })],
  [
    'headers',
    'cookies of the sign-in',
    () => '/oauth2/auth?client_id=x',
    () => ({ cookie: '_session=a;_session.sig=b;'.repeat(headBytes / 26) }),
  ],
  [
    'headers',
    'traceparent and blanks',
    (root) => `/api/zones/${root}`,
    () => ({ traceparent: ' '.repeat(headBytes - 1).concat('x') }),
  ],
  [
    'headers',
    'an idempotency key',
    (root) => `/api/zones/${root}`,
    () => ({ 'idempotency-key': 'x'.repeat(headBytes) }),
  ],
  [
    'tokens',
    'a token of wide claims',
    () => '/api/token',
    () => ({
      authorization: `Bearer ${base64('{"alg":"EdDSA"}')}.${base64(`{${fill(10_000, (n) => `"c${n}":1`)}}`)}.x`,
    }),
  ],
  [
    'tokens',
    'a token of a wide header',
    () => '/api/token',
    () => ({
      authorization: `Bearer ${base64(`{"alg":"EdDSA","crit":[${fill(10_000, () => '"b64"')}]}`)}.${base64('{}')}.x`,
    }),
  ],
  ['tokens', 'a token of dots', () => '/api/token', () => ({ authorization: `Bearer ${'.'.repeat(headBytes)}` })],
  ['tokens', 'blanks', () => '/api/token', () => ({ authorization: `Bearer${' '.repeat(headBytes)}x` })],
  [
    'tokens',
    'basic credentials',
    () => '/oauth2/token',
    () => ({ authorization: `Basic ${Buffer.from('%41:'.repeat(2_500)).toString('base64')}` }),
  ],
  ['OAuth addresses', 'many parameters', () => `/oauth2/auth?${'scope=a&'.repeat(1_800)}`],
  ['OAuth addresses', 'many scopes', () => `/oauth2/auth?client_id=a&scope=${'a+'.repeat(7_000)}`],
];

const forms: readonly (readonly [input: string, path: string, body: () => string])[] = [
  ['many parameters', '/oauth2/token', () => 'a=b&'.repeat(bodyBytes / 4)],
  ['different parameters', '/oauth2/token', () => fill(bodyBytes, (n) => `p${n}=b`).replaceAll(',', '&')],
  ['percent signs', '/oauth2/token', () => `grant_type=${'%41'.repeat(bodyBytes / 3)}`],
  ['wrong percent signs', '/oauth2/token', () => `grant_type=${'%'.repeat(bodyBytes)}`],
  [
    'a long scope',
    '/oauth2/token',
    () => `grant_type=client_credentials&client_id=dgs&client_secret=x&scope=${'a+'.repeat(bodyBytes / 2)}`,
  ],
  [
    'a long secret',
    '/oauth2/token',
    () => `grant_type=client_credentials&client_id=dgs&client_secret=${'x'.repeat(bodyBytes)}`,
  ],
  [
    'a long name',
    '/oauth2/token',
    () => `grant_type=client_credentials&client_secret=x&client_id=${'x'.repeat(bodyBytes)}`,
  ],
  ['a long refresh token', '/oauth2/token', () => `grant_type=refresh_token&refresh_token=${'x'.repeat(bodyBytes)}`],
  [
    'a long assertion',
    '/oauth2/token',
    () =>
      `grant_type=client_credentials&client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&client_assertion=${base64(`{"alg":"RS256"}`)}.${base64(`{${fill(bodyBytes / 2, (n) => `"c${n}":1`)}}`)}.x`,
  ],
  ['many parameters', '/oauth2/revoke', () => 'token=b&'.repeat(bodyBytes / 8)],
  ['a long token', '/oauth2/introspect', () => `token=${'x'.repeat(bodyBytes)}`],
  ['many parameters', '/openid/login', () => 'a=b&'.repeat(bodyBytes / 4)],
];

const rawHeads: readonly (readonly [input: string, lines: () => string])[] = [
  ['many headers', () => Array.from({ length: 1_900 }, (_, n) => `x${n}: `).join('\r\n')],
  ['one header again and again', () => Array.from({ length: 1_400 }, () => 'cookie: a').join('\r\n')],
];

/** Request lines, headers and forms. */
export const requestPieces: readonly HostilePiece[] = [
  ...requests.map(([door, input, path, headers]): HostilePiece => ({
    door,
    input,
    send: async ({ doors: { service, dgs, root } }) => {
      await ask({
        url: `${service.baseUrl}${path(root)}`,
        method: 'GET',
        headers: { authorization: `Bearer ${dgs.token ?? ''}`, ...headers?.() },
      });
    },
  })),
  ...forms.map(([input, path, body]): HostilePiece => ({
    door: `POST ${path}`,
    input,
    send: async ({ doors: { service } }) => {
      await ask({ url: `${service.baseUrl}${path}`, type: 'application/x-www-form-urlencoded', body: body() });
    },
  })),
  ...rawHeads.map(([input, lines]): HostilePiece => ({
    door: 'headers',
    input,
    send: ({ doors: { service } }) =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(service.baseUrl);
        const socket = connect(Number(port), hostname, () =>
          socket.write(`GET /api/zones HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines()}\r\n\r\n`),
        );
        socket.on('data', () => undefined);
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
      }),
  })),
];
