import { randomBytes } from 'node:crypto';
import type { ClientAuthenticator } from '@fds/authentication';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { adaptorScope, holderScopeMetadata, holderUuidMetadata, personScope } from './holder-metadata.js';
import { describeLoginClient, loginClientId } from './login-client.js';

/** A client id for the provider, of a length that people type. */
const clientIdText = /^[ -~]{1,256}$/;

/**
 * Clients as the provider sees them: found live in the tables of persons and adaptors, so that a new one works and a
 * deactivated one fails at once. An unknown client may do nothing, and its secret is always wrong: it is refused in the same
 * place, as slowly, and counted like a wrong secret. Nothing is ever written through it.
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
    // the provider accepts no other text as a client id, and the database refuses some of them
    if (!clientIdText.test(clientId)) return undefined;
    const client = await clients.find(clientId);
    const described: AdapterPayload = {
      client_id: clientId,
      client_secret: placeholder,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: client?.isProgram === true ? ['client_credentials'] : [],
      redirect_uris: [],
      response_types: [],
    };
    if (client === undefined) return described;
    return {
      ...described,
      [holderUuidMetadata]: client.uuid,
      [holderScopeMetadata]: client.kind === 'ADAPTOR' ? adaptorScope : personScope,
    };
  };

  return { ...artifacts, find };
};
