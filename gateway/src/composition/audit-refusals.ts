import type { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import type { BusAuthenticatorOptions, ClientAuthenticatorOptions } from '@fds/identity';
import type { OnForbidden } from '@fds/rest-facade';
import type { Visitor } from '../admission/index.js';
import type { RefusalAudit } from '../audit/index.js';

/** Path of a request. The query is left out, since it may contain secrets. For the API, the path below `/api`. */
const resourceOf = (url: string): string => {
  const path = url.split('?', 1)[0] ?? '';
  return path.startsWith('/api/') ? path.slice('/api'.length) : path;
};

/** Records callers whose token was refused, or who have no zone. */
export const auditCallers =
  (audit: RefusalAudit) =>
  ({ code, message: detail }: AppError, { method = 'CONNECT', url = '/graphql', ip: address }: Visitor): void =>
    audit.record({ action: method, resource: resourceOf(url), code, detail, address });

/** Records requests to REST and to the assembly service that the caller may not make. */
export const auditRequests =
  (audit: RefusalAudit): OnForbidden =>
  ({ method: action, url, ip: address }, { uuid: actorUuid }, { code, message: detail }) =>
    audit.record({ actorUuid, action, resource: resourceOf(url), code, detail, address });

/** Records fields of GraphQL that the caller may not request. */
export const auditOperations =
  (audit: RefusalAudit) =>
  ({ principal: { uuid: actorUuid }, address = '' }: RequestContext, detail: string): void =>
    audit.record({ actorUuid, action: 'POST', resource: '/graphql', code: 'FORBIDDEN', detail, address });

/** Records wrong passwords and client secrets, at every door. The typed name is not recorded: it may be a secret. */
export const auditSecrets =
  (audit: RefusalAudit): NonNullable<ClientAuthenticatorOptions['onRefused']> =>
  (client, address) =>
    audit.record({
      actorUuid: client?.uuid,
      action: 'POST',
      resource: '/oauth2',
      code: 'UNAUTHENTICATED',
      detail: client === undefined ? 'no such client, or not active' : 'a wrong secret was given',
      address,
    });

/**
 * Records refused connections to the message bus: the token is invalid or belongs to another holder, or the user is not
 * an adaptor.
 */
export const auditBus =
  (audit: RefusalAudit): NonNullable<BusAuthenticatorOptions['onRefused']> =>
  (actorUuid, address) =>
    audit.record({
      actorUuid,
      action: 'CONNECT',
      resource: '/bus',
      code: 'UNAUTHENTICATED',
      detail: 'no valid token of this adaptor',
      address,
    });
