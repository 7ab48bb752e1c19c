import { pathSegments } from './path-segments.js';

/** Characters of a resource at most. */
const maxLength = 1024;
/** Segments of a resource at most; the longest path of the API has twelve. */
const maxSegments = 24;
/** `*` in the middle at most: each multiplies the ways a path can be read. */
const maxStars = 4;

/**
 * The fault of a grant's resource; undefined: none. A resource is a path below `/api`, with or without that
 * prefix, whose segments are literal, `?` or `*`.
 */
export const resourceFault = (resource: string): string | undefined => {
  if (resource.length > maxLength) return `has at most ${maxLength} characters`;
  if (!resource.startsWith('/')) return 'is a path and starts with "/"';
  const segments = pathSegments(resource);
  const written = resource.slice(1).split('/');
  if (segments.length === 0 || written.includes('')) return 'has no empty segments';
  if (segments.length > maxSegments) return `has at most ${maxSegments} segments`;
  if (segments.filter((segment) => segment === '*').length > maxStars) return `has at most ${maxStars} segments "*"`;
  if (segments.some((segment) => segment.length > 1 && /[?*]/.test(segment)))
    return 'has wildcards as whole segments only';
  if (/[\s\p{Cc}]/u.test(resource)) return 'has no blanks or control characters';
  return undefined;
};
