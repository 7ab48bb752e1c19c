import { randomBytes } from 'node:crypto';
import type { ClientAuthenticator } from '@fds/identity';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { adaptorScope, holderScopeMetadata, holderUuidMetadata, personScope } from './holder-metadata.js';
import { describeLoginClient, loginClientId } from './login-client.js';

/**
 * Clients as the provider sees them: found live in the tables of persons and adaptors, so that a new one works and a
 * deactivated one fails at once. Nothing is ever written through it.
 *
 * @param redirectUris where codes of the login client may go
 */
export const createClientStore = (
  clients: ClientAuthenticator,
  artifacts: Adapter,
  redirectUris: readonly string[],
): Adapter => {
  const loginClient = describeLoginClient(redirectUris);
  // the provider wants clients to have a secret; the real ones are never handed to it, see `compareClientSecret`
  const placeholder = randomBytes(32).toString('base64url');

  const find = async (clientId: string): Promise<AdapterPayload | undefined> => {
    if (clientId === loginClientId) return loginClient;
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
