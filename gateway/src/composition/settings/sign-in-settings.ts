import { settings, type TextRule } from '@fds/service';

/** The same rule as for passwords that are set over the API. */
const passwordRule: TextRule = {
  allows: (text) => Array.from(text).length >= 8 && Array.from(text).length <= 1024,
  message: 'must have 8 to 1024 characters',
};

const keyRule: TextRule = {
  allows: (text) => Buffer.from(text.trim(), 'base64').length === 32,
  message: 'must be 32 bytes in base64, for example from `openssl rand -base64 32`',
};

/** Secrets, tokens, and how people sign in. */
export const signInSettings = {
  secretKey: settings.secret(
    'FDS_SECRET_KEY',
    'Key that seals secrets in the database, 32 bytes in base64. Default: generated in the data directory. Machines that share a database need the same.',
    keyRule,
  ),
  adminPassword: settings.secret(
    'FDS_ADMIN_PASSWORD',
    'First-start password of `admin`, 8 to 1024 characters. Default: generated.',
    passwordRule,
  ),
  dgsPassword: settings.secret(
    'FDS_DGS_PASSWORD',
    'First-start password of `dgs`, 8 to 1024 characters. Default: generated.',
    passwordRule,
  ),
  tokenMinutes: settings.integer('FDS_TOKEN_MINUTES', 'Lifetime of access tokens in minutes.', 60, {
    min: 1,
    max: 1440,
  }),
  redirectUris: settings.urls(
    'FDS_REDIRECT_URIS',
    'Addresses, separated by commas, that a sign-in may lead to, in addition to those of the service itself. An address that ends with a slash allows everything below it.',
  ),
  oidcIssuer: settings.url(
    'OIDC_ISSUER_URL',
    "External OpenID provider that people sign in at instead of the service's own page. Its access tokens (JWTs) are accepted as bearer tokens.",
  ),
  oidcClientId: settings.optionalText('OIDC_CLIENT_ID', 'Client of the service at the external provider.'),
  oidcClientSecret: settings.secret('OIDC_CLIENT_SECRET', 'Its secret. Default: none, for a public client.'),
  oidcAudience: settings.optionalText(
    'OIDC_AUDIENCE',
    "`aud` of the external provider's access tokens for this service; `<FDS_BASE_URL>/api` is accepted too. Default: the client id.",
  ),
  oidcSsoIdClaim: settings.text('OIDC_SSO_ID_CLAIM', "Claim of its tokens that is a user's `ssoId`.", 'sub'),
  oidcScope: settings.text('OIDC_SCOPE', 'Scope that a sign-in there asks for.', 'openid profile email'),
  signingKeyDays: settings.integer(
    'FDS_SIGNING_KEY_DAYS',
    'Age in days at which the key that signs tokens is followed by a new one; no token becomes invalid. 0 = never.',
    90,
    { min: 0, max: 3650 },
  ),
  secretGraceSeconds: settings.integer(
    'FDS_SECRET_GRACE_SECONDS',
    "How long an adaptor's old secret gives tokens and connections after a new one was issued. Tokens and sessions from before end at once. 0 = not at all.",
    3600,
    { min: 0, max: 604_800 },
  ),
  passwordChecks: settings.integer(
    'FDS_PASSWORD_CHECKS',
    'Passwords and client secrets of people that a process hashes at the same time.',
    2,
    { min: 1, max: 64 },
  ),
  passwordChecksWaiting: settings.integer(
    'FDS_PASSWORD_CHECKS_WAITING',
    'Passwords that wait to be hashed; a quarter of them from one address. One more is answered 429.',
    256,
    { min: 4, max: 100_000 },
  ),
  signInAttempts: settings.integer(
    'FDS_SIGN_IN_ATTEMPTS',
    'Attempts with a password or secret that a process has not answered yet, at all doors; half of them from one address. One more is answered 429.',
    2000,
    { min: 4, max: 100_000 },
  ),
} as const;
