import { randomBytes } from 'node:crypto';
import type { ClientAuthenticator } from '@fds/identity';
import type { Adapter, AdapterPayload } from 'oidc-provider';

/** Client metadata of our own: uuid of the person or adaptor, the `sub` of its tokens. */
export const holderUuidMetadata = 'holder_uuid';
/** Client metadata of our own: scope of its tokens. */
export const holderScopeMetadata = 'holder_scope';

/** Scope of an adaptor's tokens. */
export const adaptorScope = 'adaptor';
/** Scope of a person's tokens. */
const personScope = 'api';

/**
 * Clients as the provider sees them: found live in the tables of persons and adaptors, so that a new one works and a
 * deactivated one fails at once. Nothing is ever written through it.
 */
export const createClientStore = (clients: ClientAuthenticator, artifacts: Adapter): Adapter => {
  // the provider wants clients to have a secret; the real ones are never handed to it, see `compareClientSecret`
  const placeholder = randomBytes(32).toString('base64url');

  const find = async (clientId: string): Promise<AdapterPayload | undefined> => {
    const client = await clients.find(clientId);
    if (client === undefined) return undefined;
    return {
      client_id: client.clientId,
      client_secret: placeholder,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      [holderUuidMetadata]: client.uuid,
      [holderScopeMetadata]: client.kind === 'ADAPTOR' ? adaptorScope : personScope,
    };
  };

  return { ...artifacts, find };
};
