/** Schemes with a storage. */
export type Scheme = 'file' | 's3';

/** A place in a storage. Segments are plain text: no escapes, no `.` or `..`, no empty ones. */
export interface Location {
  readonly scheme: Scheme;
  /** Bucket; empty for `file`. */
  readonly authority: string;
  readonly segments: readonly string[];
}

/** A URI that cannot be used. The message names the reason and the URI. */
export class UriFault extends Error {
  override readonly name = 'UriFault';
}

/** Longest URI, in UTF-16 units. */
export const maxUriLength = 4_096;

const schemePattern = /^([A-Za-z][A-Za-z0-9+.-]*):\//;

/**
 * Does the URI have no scheme? A scheme is followed by a slash, so a name with a colon, such as `12:30.log`, has none.
 */
export const isRelative = (uri: string): boolean => !schemePattern.test(uri);

const fault = (uri: string, reason: string): never => {
  throw new UriFault(`${JSON.stringify(uri)} ${reason}`);
};

/** Names contain no `%`, so a `%` always begins an escape. The decoded character must be allowed in a name. */
const decodeSegment = (uri: string, segment: string): string => {
  let name = segment;
  if (segment.includes('%')) {
    try {
      name = decodeURIComponent(segment);
    } catch {
      return fault(uri, 'has a % that does not begin an escape of UTF-8 text');
    }
  }
  if (/[/%]/.test(name)) return fault(uri, 'has an escape for / or %, which no name may contain');
  if (name.includes('\u0000')) return fault(uri, 'has a NUL character');
  if (/\p{Surrogate}/u.test(name)) return fault(uri, 'has a surrogate without its pair');
  return name;
};

/**
 * The segments of a path below `from`. Escapes are decoded first, so that an escaped `..` is treated as `..`.
 *
 * @throws UriFault when the path leads above `from`
 */
const segmentsOf = (uri: string, path: string, from: readonly string[]): readonly string[] => {
  const segments = [...from];
  for (const part of path.split('/')) {
    const name = decodeSegment(uri, part);
    if (name === '' || name === '.') continue;
    if (name !== '..') segments.push(name);
    else if (segments.length > from.length) segments.pop();
    else fault(uri, 'leads above its base by ..');
  }
  return segments;
};

const checkLength = (uri: string): void => {
  if (uri.length > maxUriLength) fault(`${uri.slice(0, 80)}...`, `has more than ${maxUriLength} characters`);
};

/**
 * Reads an absolute URI: `file:///folder/name`, `s3://bucket/folder/name`. Characters may be percent-encoded or not. A plain
 * absolute path is a file.
 *
 * @throws UriFault
 */
export const parseLocation = (uri: string): Location => {
  checkLength(uri);
  if (uri.startsWith('/')) return { scheme: 'file', authority: '', segments: segmentsOf(uri, uri, []) };
  const scheme = schemePattern.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return fault(uri, 'is not absolute: a scheme such as file:/// is missing');
  const rest = uri.slice(scheme.length + 1);
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [undefined, '', rest];
  if (scheme === 'file') {
    if (authority !== '' && authority !== 'localhost') fault(uri, 'names another host: mount its files instead');
    return { scheme, authority: '', segments: segmentsOf(uri, path, []) };
  }
  if (scheme === 's3') {
    if (!/^[a-z0-9][a-z0-9._-]{1,62}$/.test(authority)) fault(uri, 'names no bucket after s3://');
    return { scheme, authority, segments: segmentsOf(uri, path, []) };
  }
  return fault(uri, `has the scheme ${scheme}: file and s3 are supported`);
};

/**
 * A relative URI below a location.
 *
 * @throws UriFault when it leads elsewhere
 */
export const resolveBelow = (base: Location, uri: string): Location => {
  checkLength(uri);
  if (uri.startsWith('/')) fault(uri, 'begins with /, but a relative URI must stay below its base');
  const segments = segmentsOf(uri, uri, base.segments);
  if (segments.length === base.segments.length || uri.endsWith('/')) fault(uri, 'names no file');
  return { ...base, segments };
};

/** The location as a URI, without escapes. `parseLocation` reads it back. */
export const formatLocation = ({ scheme, authority, segments }: Location): string =>
  `${scheme}://${authority}/${segments.join('/')}`;

/** The folder of a location. */
export const parentOf = ({ segments, ...place }: Location): Location => ({ ...place, segments: segments.slice(0, -1) });

/** Is the location the base or below it? */
export const isWithin = (base: Location, location: Location): boolean =>
  base.scheme === location.scheme &&
  base.authority === location.authority &&
  base.segments.length <= location.segments.length &&
  base.segments.every((segment, index) => segment === location.segments[index]);

/** Converts a path below a folder to a relative URI that `resolveBelow` reads back. */
export const relativeUri = (path: string): string => (isRelative(path) ? path : `./${path}`);
