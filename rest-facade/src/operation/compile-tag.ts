import { objectOf, type Shape } from '../answer/answer-shape.js';
import { contentTag, versionTag } from '../precondition/entity-tags.js';
import type { GraphqlRoute } from '../route.js';

/** The entity tag of an answer; undefined: it has none. */
export type TagOf = (result: unknown, body: string) => string | undefined;

type Holder = Readonly<Record<string, unknown>> | null | undefined;

const versionReader = (shape: Shape): ((result: unknown) => unknown) => {
  const member = objectOf(shape)?.members.find(({ name }) => name === 'changeVersion');
  if (member === undefined) return () => undefined;
  const { within, name } = member;
  return (result) => {
    const resource = (Array.isArray(result) ? result[0] : result) as Holder;
    const holder = within === undefined ? resource : (resource?.[within] as Holder);
    return holder?.[name];
  };
};

const never: TagOf = () => undefined;

/**
 * Compiles what gives the answers of a route their entity tags. A change answers `"<changeVersion>"`. What is read has the
 * same when the declaration says that the version tells every change; otherwise a digest of the answer follows, so that a
 * tag never stands for two different answers.
 */
export const compileTag = (route: GraphqlRoute, shape: Shape): TagOf => {
  const { method, collection, status, showsSecrets, withTokenClaims } = route;
  const isList = collection !== undefined && method === 'GET';
  if (isList || status === 204 || withTokenClaims === true) return never;
  const versionOf = versionReader(shape);
  if (method !== 'GET') {
    return (result, body) => {
      const version = versionOf(result);
      return version === undefined || body.startsWith(`{"${collection}":`) ? undefined : versionTag(version);
    };
  }
  if (showsSecrets === true) return never;
  if (route.versioned === 'wholly') return (result) => versionTag(versionOf(result));
  return (result, body) => contentTag(versionOf(result), body);
};
