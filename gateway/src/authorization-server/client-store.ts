import { randomBytes } from 'node:crypto';
import type { ClientAuthenticator } from '@fds/identity';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { adaptorScope, holderScopeMetadata, holderUuidMetadata, personScope } from './holder-metadata.js';
import { commandLineClientId, describeCommandLineClient, describeLoginClient, loginClientId } from './login-client.js';

/** A client id that the provider accepts, of a length that people can type. */
const clientIdText = /^[ -~]{1,256}$/;

/**
 * Clients in the form of the provider. They are read from the tables of persons and adaptors at each request, so that a
 * new client works and a deactivated one fails at once. An unknown client may do nothing, and its secret is always
 * wrong. It is refused in the same place and after the same time as a wrong secret, and counted in the same way.
 * Nothing is ever written through it.
 *
 * @param redirectUris addresses to which the login client may return a code
 */
export const createClientStore = (
  clients: ClientAuthenticator,
  artifacts: Adapter,
  redirectUris: readonly string[],
): Adapter => {
  const loginClient = describeLoginClient(redirectUris);
  const commandLine = describeCommandLineClient();
  // the provider requires clients to have a secret; it never gets the real ones, see `compareClientSecret`
  const placeholder = randomBytes(32).toString('base64url');

  const find = async (clientId: string): Promise<AdapterPayload | undefined> => {
    if (clientId === loginClientId) return loginClient;
    if (clientId === commandLineClientId) return commandLine;
    // the provider accepts no other text as a client id, and the database cannot store some of the others
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
