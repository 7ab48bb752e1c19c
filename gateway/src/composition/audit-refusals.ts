import type { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import type { BusAuthenticatorOptions, ClientAuthenticatorOptions } from '@fds/authentication';
import type { OnForbidden } from '@fds/rest-facade';
import type { Visitor } from '../admission/index.js';
import type { RefusalAudit } from '../audit/index.js';

/** Path of a request; what follows it may hold secrets. For the API, the path below `/api`. */
const resourceOf = (url: string): string => {
  const path = url.split('?', 1)[0] ?? '';
  return path.startsWith('/api/') ? path.slice('/api'.length) : path;
};

/** Callers whose token was refused, or who are of no zone. */
export const auditCallers =
  (audit: RefusalAudit) =>
  ({ code, message: detail }: AppError, { method = 'CONNECT', url = '/graphql', ip: address }: Visitor): void =>
    audit.record({ action: method, resource: resourceOf(url), code, detail, address });

/** Requests of REST and of the assembly service that their callers may not make. */
export const auditRequests =
  (audit: RefusalAudit): OnForbidden =>
  ({ method: action, url, ip: address }, { uuid: actorUuid }, { code, message: detail }) =>
    audit.record({ actorUuid, action, resource: resourceOf(url), code, detail, address });

/** Fields of GraphQL that their callers may not ask for. */
export const auditOperations =
  (audit: RefusalAudit) =>
  ({ principal: { uuid: actorUuid }, address = '' }: RequestContext, detail: string): void =>
    audit.record({ actorUuid, action: 'POST', resource: '/graphql', code: 'FORBIDDEN', detail, address });

/** Wrong passwords and client secrets, at whichever door. The typed name is not recorded: it may be a secret. */
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

/** Those who may not connect to the message bus, by a token that is not valid or not theirs, or as no adaptor. */
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
