import type { Database, Queryable } from '@fds/database';
import type { RequestContext } from '@fds/graphql';

/** Where the searches of a caller run: in the caller's share, and cancelled when the caller goes away. */
export const sessionOfCaller = (
  { searches }: Pick<Database, 'searches'>,
  context: Pick<RequestContext, 'principal' | 'signal'>,
): Queryable =>
  searches.sessionOf({
    key: context.principal.uuid,
    operation: context,
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  });
