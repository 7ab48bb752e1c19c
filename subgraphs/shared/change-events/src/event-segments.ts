import { pathSegments } from '@fds/access-rules';

/**
 * The resource of an event as segments of a grant. In a grant a `*` at the end includes the path itself; in an event it begins
 * with the children. `?` followed by `*` says the latter in a grant.
 */
export const eventSegments = (resource: string): readonly string[] => {
  const segments = pathSegments(resource);
  return segments.at(-1) === '*' ? [...segments.slice(0, -1), '?', '*'] : segments;
};
