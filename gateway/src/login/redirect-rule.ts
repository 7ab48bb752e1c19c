import { AppError } from '@fds/errors';

/**
 * Checks an address to which a sign-in redirects, and returns it as an absolute URL.
 *
 * @throws AppError INVALID_PARAMETER for every other address
 */
export type RedirectRule = (address: string) => URL;

const parse = (address: string, baseUrl: string): URL | undefined => {
  try {
    return new URL(address, `${baseUrl}/`);
  } catch {
    return undefined;
  }
};

const isBelow = (url: URL, allowed: URL): boolean =>
  allowed.pathname.endsWith('/') && allowed.search === '' && url.pathname.startsWith(allowed.pathname);

/**
 * @param baseUrl our own address, below which everything is allowed
 * @param allowed other addresses; one that ends with a slash allows everything below it, any other allows only itself,
 * with any query
 */
export const createRedirectRule = (baseUrl: string, allowed: readonly string[]): RedirectRule => {
  const own = new URL(baseUrl).origin;
  const others = allowed.map((address) => new URL(address));
  const isAllowed = (url: URL): boolean =>
    url.origin === own ||
    others.some((other) => url.origin === other.origin && (url.pathname === other.pathname || isBelow(url, other)));
  return (address) => {
    const url = parse(address, baseUrl);
    const isPlain = url !== undefined && url.username === '' && url.password === '' && url.hash === '';
    if (!isPlain || !['http:', 'https:'].includes(url.protocol) || !isAllowed(url)) {
      throw new AppError('INVALID_PARAMETER', 'redirect_uri is not an address that a sign-in may lead to', {
        errors: [{ pointer: 'redirect_uri', code: 'NOT_ALLOWED', detail: 'see the setting FDS_REDIRECT_URIS' }],
      });
    }
    return url;
  };
};
