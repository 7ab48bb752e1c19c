import { isUuid } from '@fds/json';
import type { Action } from './action.js';
import { pathSegments } from './path-segments.js';

/** The permission of an endpoint: an action on a path below `/api` with `{placeholders}`. */
export interface EndpointPermission {
  readonly action: Action;
  /** A placeholder that ends in `Uuid` stands for UUIDs, any other for every segment. */
  readonly path: string;
}

/** The permissions that the endpoints of the API demand. */
export interface Endpoints {
  /** Does an endpoint demand the action on the path? The names of placeholders do not matter. */
  state(permission: EndpointPermission): boolean;
  /**
   * The paths of endpoints that a pattern reaches with the action, as patterns: `?` stands for each value of a placeholder.
   *
   * @param pattern segments of a resource, with wildcards
   */
  reachedBy(action: Action, pattern: readonly string[]): Iterable<readonly string[]>;
}

const anySegment = '?';
const anyUuid = '{Uuid}';

const segmentsOf = (path: string): readonly string[] =>
  pathSegments(path).map((segment) => {
    if (!/^\{\w+\}$/.test(segment)) return segment;
    return segment.endsWith('Uuid}') ? anyUuid : anySegment;
  });

/** The segments that a segment of a pattern and one of an endpoint both accept; undefined: none. */
const inBoth = (wanted: string, segment: string): string | undefined => {
  const isLiteral = wanted !== anySegment && wanted !== '*';
  if (segment === anyUuid) return isLiteral ? (isUuid(wanted) ? wanted : undefined) : anySegment;
  if (segment === anySegment) return isLiteral ? wanted : anySegment;
  return isLiteral && wanted !== segment ? undefined : segment;
};

/** The ways in which a pattern matches the path of an endpoint. */
const matches = function* (pattern: readonly string[], path: readonly string[]): Generator<readonly string[]> {
  const [wanted, ...rest] = pattern;
  const [segment, ...following] = path;
  const isLastStar = wanted === '*' && rest.length === 0;
  if (segment === undefined) {
    if (wanted === undefined || isLastStar) yield [];
    return;
  }
  if (wanted === undefined) return;
  const met = inBoth(wanted, segment);
  if (met === undefined) return;
  if (!isLastStar) for (const tail of matches(rest, following)) yield [met, ...tail];
  if (wanted === '*') for (const tail of matches(pattern, following)) yield [met, ...tail];
};

/** Compiled once; the endpoints do not change while the process runs. */
export const compileEndpoints = (permissions: readonly EndpointPermission[]): Endpoints => {
  const paths = new Map<Action, Map<string, readonly string[]>>();
  for (const { action, path } of permissions) {
    const segments = segmentsOf(path);
    const ofAction = paths.get(action) ?? new Map<string, readonly string[]>();
    paths.set(action, ofAction.set(segments.join('/'), segments));
  }
  return {
    state: ({ action, path }) => paths.get(action)?.has(segmentsOf(path).join('/')) ?? false,
    reachedBy: function* (action, pattern) {
      for (const path of paths.get(action)?.values() ?? []) yield* matches(pattern, path);
    },
  };
};
