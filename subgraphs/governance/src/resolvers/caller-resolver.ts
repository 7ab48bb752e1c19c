import type { Database } from '@fds/database';
import { guarded } from '@fds/graphql';
import { findSsoId } from '../store/find-sso-id.js';

/** Any signed-in caller may read their own identity. */
export const callerResolver = (database: Database) =>
  guarded({ mode: 'filter', action: 'GET', resource: '/token' }, async (_args, { principal }) => {
    const { kind, uuid, username, zones } = principal;
    return {
      sub: uuid,
      username,
      ssoId: kind === 'PERSON' ? await findSsoId(database, uuid) : undefined,
      zones,
      adaptorUuid: kind === 'ADAPTOR' ? uuid : undefined,
    };
  });
