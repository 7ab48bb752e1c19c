import fc from 'fast-check';
import type { FuzzTarget } from '../fuzz-target.js';
import type { FuzzStage } from '../open-fuzz-stage.js';
import { askHttp } from '../values/ask-http.js';
import { anyText, encodeText } from '../values/hostile-values.js';

const form = fc
  .dictionary(
    fc.constantFrom('grant_type', 'code', 'client_id', 'refresh_token', 'redirect_uri', 'scope', 'token', 'resource'),
    fc.oneof(fc.constantFrom('client_credentials', 'refresh_token', 'authorization_code', 'dgs'), anyText),
    { maxKeys: 4 },
  )
  .map((fields) =>
    Object.entries(fields)
      .map(([name, value]) => `${name}=${encodeText(value)}`)
      .join('&'),
  );

const bearer = fc.oneof(
  fc.stringMatching(/^[\u0021-\u007e]{0,60}$/),
  fc
    .tuple(fc.jsonValue(), fc.jsonValue())
    .map(([head, body]) =>
      [head, body, 'x'].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.'),
    ),
);

/** Forms of the authorization server and bearer tokens. They contain no pair of user name and password, so they lock out no user. */
export const signIns = ({ doors: { service } }: FuzzStage): FuzzTarget => ({
  name: 'sign-ins',
  cases: fc.oneof(
    fc.tuple(form, fc.constantFrom('token', 'introspect', 'revoke')).map(([text, path]) =>
      askHttp({
        url: `${service.baseUrl}/oauth2/${path}`,
        sent: { method: 'POST', text, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      }),
    ),
    fc
      .tuple(form, fc.constantFrom('/oauth2/auth', '/openid/code', '/openid/login', '/openid/logout'))
      .map(([query, path]) => askHttp({ url: `${service.baseUrl}${path}?${query}`, sent: {} })),
    bearer.map((token) =>
      askHttp({ url: `${service.baseUrl}/api/token`, sent: { headers: { authorization: `Bearer ${token}` } } }),
    ),
  ),
});
