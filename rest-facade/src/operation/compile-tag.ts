import { objectOf, type Shape } from '../answer/answer-shape.js';
import { contentTag, versionTag } from '../precondition/entity-tags.js';
import type { GraphqlRoute } from '../route.js';

/** The entity tag of an answer; undefined when it has none. */
export type TagOf = (result: unknown, body: string) => string | undefined;

type Holder = Readonly<Record<string, unknown>> | null | undefined;

const isVersioned = (shape: Shape): boolean =>
  objectOf(shape)?.members.some(({ name }) => name === 'changeVersion') === true;

type VersionOf = (result: unknown) => number | bigint | undefined;

const versionReader = (shape: Shape): VersionOf => {
  const member = objectOf(shape)?.members.find(({ name }) => name === 'changeVersion');
  if (member === undefined) return () => undefined;
  const { within, name } = member;
  return (result) => {
    // an answer with several resources has no version
    if (Array.isArray(result) && result.length > 1) return undefined;
    const resource = (Array.isArray(result) ? result[0] : result) as Holder;
    const holder = within === undefined ? resource : (resource?.[within] as Holder);
    return holder?.[name] as number | bigint | undefined;
  };
};

/**
 * The kind of a route's tags: none; the changeVersion; or also a digest, if the answer shows more than the versioned
 * resource, so that a tag never stands for two different answers.
 */
export const tagKindOf = (route: GraphqlRoute, shape: Shape): 'none' | 'version' | 'content' => {
  const { method, body, collection, status, showsSecrets, momentary, withTokenClaims, versioned } = route;
  if (status === 204 || withTokenClaims === true || body?.kind === 'list') return 'none';
  if (method !== 'GET') return isVersioned(shape) ? 'version' : 'none';
  if (collection !== undefined || showsSecrets === true || momentary === true) return 'none';
  return versioned === 'wholly' ? 'version' : 'content';
};

/**
 * Compiles the function that creates the entity tags of a route's answers. The tag of a change is its changeVersion
 * only.
 */
export const compileTag = (route: GraphqlRoute, shape: Shape): TagOf => {
  const kind = tagKindOf(route, shape);
  if (kind === 'none') return () => undefined;
  const versionOf = versionReader(shape);
  if (kind === 'content') return (result, body) => contentTag(versionOf(result), body);
  return (result) => {
    const version = versionOf(result);
    return version === undefined ? undefined : versionTag(version);
  };
};
