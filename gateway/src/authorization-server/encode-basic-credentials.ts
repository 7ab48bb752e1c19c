const basic = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
/** The alphabet of form encoding: unreserved characters, `+` for a space, and escapes. */
const formText = /^(?:[A-Za-z0-9*\-._~+]|%[0-9A-Fa-f]{2})*$/;

const isFormEncoded = (part: string): boolean => part.includes('%') && formText.test(part);

const encode = (part: string): string => (isFormEncoded(part) ? part : encodeURIComponent(part));

const encodeCredentials = async (
  id: string,
  secret: string,
  isClient: (clientId: string) => Promise<boolean>,
): Promise<string> => {
  const hasForm = formText.test(id) && formText.test(secret);
  const isAmbiguous = id.includes('+') && !id.includes('%') && hasForm;
  // `a+b` is either the client `a+b`, unencoded, or the client `a b`, encoded
  if (isAmbiguous && !(await isClient(id)) && (await isClient(id.replaceAll('+', ' ')))) return `${id}:${secret}`;
  return `${encode(id)}:${encode(secret)}`;
};

/**
 * Client id and secret in a Basic header are form-encoded (RFC 6749 section 2.3.1). `curl -u` and most clients send
 * them without encoding, which differs only when one contains a `+`, a `%` or a space. Returns the header with both
 * encoded. Headers that are encoded already, and all others, stay unchanged.
 *
 * @param isClient whether a client with this id exists
 */
export const encodeBasicCredentials = async (
  header: string,
  isClient: (clientId: string) => Promise<boolean>,
): Promise<string> => {
  const text = Buffer.from(basic.exec(header)?.[1] ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return header;
  const encoded = await encodeCredentials(text.slice(0, colon), text.slice(colon + 1), isClient);
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
};
