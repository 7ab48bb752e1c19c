import type { OAuth2Registration, WebhookHeader } from '@fds/webhook-client';
import type { RegistrationContent } from './registration.js';

/** Replaces a secret in answers. A client that sends it back keeps the stored secret. */
const mask = '***';

/** The secrets of a registration with which the service identifies itself to the receiver. Stored sealed. */
export interface Credentials {
  /** Values of the headers, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clientSecret: string | null;
}

export const noCredentials: Credentials = { headers: {}, clientSecret: null };

const hasSecret = ({ clientSecret }: OAuth2Registration): boolean =>
  clientSecret !== undefined && clientSecret !== null && clientSecret !== '';

/** The content with masks, and the secrets that they replace. */
export const splitCredentials = (
  content: RegistrationContent,
): { readonly masked: RegistrationContent; readonly credentials: Credentials } => {
  const { httpHeaders, oauth2Registration: oauth2 } = content;
  const withSecret = oauth2 !== null && hasSecret(oauth2);
  return {
    masked: {
      ...content,
      httpHeaders: httpHeaders.map(({ name }) => ({ name, value: mask })),
      oauth2Registration: withSecret ? { ...oauth2, clientSecret: mask } : oauth2,
    },
    credentials: {
      headers: Object.fromEntries(httpHeaders.map(({ name, value }) => [name.toLowerCase(), value])),
      clientSecret: withSecret ? (oauth2.clientSecret ?? null) : null,
    },
  };
};

/** The content with secrets in place of masks. A mask without a stored secret stays. */
export const joinCredentials = (
  { httpHeaders, oauth2Registration: oauth2, ...rest }: RegistrationContent,
  { headers, clientSecret }: Credentials,
): RegistrationContent => {
  const valueOf = ({ name, value }: WebhookHeader): string =>
    value === mask ? (new Map(Object.entries(headers)).get(name.toLowerCase()) ?? mask) : value;
  return {
    ...rest,
    httpHeaders: httpHeaders.map((header) => ({ name: header.name, value: valueOf(header) })),
    oauth2Registration: oauth2?.clientSecret === mask && clientSecret !== null ? { ...oauth2, clientSecret } : oauth2,
  };
};

/** Places of masks that stand for no stored secret. */
export const maskedPlaces = ({ httpHeaders, oauth2Registration }: RegistrationContent): readonly string[] => [
  ...httpHeaders.flatMap(({ value }, index) => (value === mask ? [`/httpHeaders/${index}/value`] : [])),
  ...(oauth2Registration?.clientSecret === mask ? ['/oauth2Registration/clientSecret'] : []),
];

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);

const authorizationServersOf = (oauth2: OAuth2Registration | null): readonly string[] =>
  [oauth2?.issuerUri, oauth2?.tokenUri].flatMap((uri) => (uri ? [originOf(uri)] : []));

/**
 * Places of masks whose secrets would be sent to another scheme, host or port than before: header values go to the
 * callback, the client secret to an authorization server, which may be any that the registration named before.
 *
 * @param given with masks
 */
export const movedPlaces = (given: RegistrationContent, before: RegistrationContent): readonly string[] => {
  const masked = maskedPlaces(given);
  const isSameReceiver = originOf(given.callback) === originOf(before.callback);
  const known = new Set(authorizationServersOf(before.oauth2Registration));
  const isSameServer = authorizationServersOf(given.oauth2Registration).every((origin) => known.has(origin));
  return masked.filter((place) => (place.startsWith('/httpHeaders/') ? !isSameReceiver : !isSameServer));
};
