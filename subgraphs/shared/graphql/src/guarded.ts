import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import type { Action } from '@fds/access-rules';
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { endCheck, type RequestContext } from './request-context.js';

/**
 * The access that a root field requires of its caller. `require`: the action on the resource, `{name}` in it filled
 * from the field's arguments. `filter`: any signed-in caller; the resolver shows only rows that `principal.permits`
 * allows.
 */
export interface FieldAccess {
  readonly mode: 'require' | 'filter';
  readonly action: Action;
  /** Path below `/api`, for example `/zones/{zoneUuid}/adaptors`. */
  readonly resource: string;
  /** Paths below it: the last one whose placeholders are all given as arguments is used instead. */
  readonly narrower?: readonly string[];
}

/** A resolver that carries its access, so that a test can enumerate the schema and find resolvers without one. */
export type GuardedResolver<Args> = GraphQLFieldResolver<unknown, RequestContext, Args> & {
  readonly access: FieldAccess;
};

const placeholder = /\{(\w+)\}/g;

/** The path with its placeholders filled from the arguments; an argument that is absent becomes `?`. */
const fillResource = (resource: string, args: Readonly<Record<string, unknown>>): string =>
  resource.replace(placeholder, (_, name: string) =>
    typeof args[name] === 'string' ? encodeURIComponent(args[name]) : '?',
  );

const isGiven = (resource: string, args: Readonly<Record<string, unknown>>): boolean =>
  [...resource.matchAll(placeholder)].every(([, name = '']) => typeof args[name] === 'string');

/** The path that a request is about. */
const resourceOf = ({ resource, narrower }: FieldAccess, args: Readonly<Record<string, unknown>>): string =>
  fillResource(narrower?.findLast((path) => isGiven(path, args)) ?? resource, args);

/** @throws AppError FORBIDDEN that names the missing permission */
export const requirePermission = (principal: Principal, action: Action, path: string): void => {
  if (!principal.permits(action, path)) throw new AppError('FORBIDDEN', `${action} ${path} is not granted to you`);
};

/** Promises of a root field in addition to its access. */
export interface FieldPromises {
  /** As a check (`RequestContext.purpose`), it reports every cause, changes nothing and sends no message. */
  readonly checks?: 'input';
}

/** Wraps a root resolver with its access. A field that does not promise to check its input refuses every check. */
export const guarded = <Args extends object>(
  access: FieldAccess,
  resolve: (args: Args, context: RequestContext, info: GraphQLResolveInfo) => unknown,
  { checks }: FieldPromises = {},
): GuardedResolver<Args> =>
  Object.assign(
    (_source: unknown, args: Args, context: RequestContext, info: GraphQLResolveInfo) => {
      if (access.mode === 'require') {
        requirePermission(context.principal, access.action, resourceOf(access, args as Record<string, unknown>));
      }
      if (checks === undefined) endCheck(context);
      return resolve(args, context, info);
    },
    { access },
  );
