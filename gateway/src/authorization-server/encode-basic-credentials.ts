const basic = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
/** The alphabet of form encoding: unreserved characters, `+` for a space, and at least one escape. */
const formEncoded = /^(?=.*%)(?:[A-Za-z0-9*\-._~+]|%[0-9A-Fa-f]{2})*$/;

const encode = (part: string): string => (formEncoded.test(part) ? part : encodeURIComponent(part));

/**
 * Client id and secret in a Basic header are form-encoded (RFC 6749 section 2.3.1), yet `curl -u` and most clients send them
 * without encoding, which makes no difference until a secret has a `+` or `%`. Returns the header with both encoded; encoded
 * ones, and every other header, stay unchanged.
 */
export const encodeBasicCredentials = (header: string): string => {
  const text = Buffer.from(basic.exec(header)?.[1] ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return header;
  const encoded = `${encode(text.slice(0, colon))}:${encode(text.slice(colon + 1))}`;
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
};
