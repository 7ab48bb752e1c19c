import type { TokenVerifier } from '@fds/auth';
import { AppError } from '@fds/errors';
import type { Log } from '@fds/service';
import type { ClientAuthenticator } from './client-authenticator.js';
import type { IdentityDirectory } from './identity-directory.js';

/** CONNACK 0, 4/5 and 3 of the adaptor bus. */
export type BusDecision = 'ACCEPTED' | 'REFUSED' | 'UNAVAILABLE';

/**
 * May this adaptor connect? Never rejects.
 *
 * @param username the adaptor's uuid
 * @param password its client secret, or an access token obtained with it
 * @param address where the adaptor connects from
 */
export type BusAuthenticator = (username: string, password: string, address: string) => Promise<BusDecision>;

export interface BusAuthenticatorOptions {
  readonly clients: ClientAuthenticator;
  readonly verifier: TokenVerifier;
  readonly directory: IdentityDirectory;
  readonly log: Log;
}

/** A JWT has three parts; generated client secrets have no dots. */
const looksLikeToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Decides on connections to the adaptor bus: active adaptors only. */
export const createBusAuthenticator = ({
  clients,
  verifier,
  directory,
  log,
}: BusAuthenticatorOptions): BusAuthenticator => {
  const isAccepted = async (username: string, password: string, address: string): Promise<boolean> => {
    if (looksLikeToken.test(password)) {
      const principal = await directory.principalOf(await verifier.verify(password));
      return principal.kind === 'ADAPTOR' && principal.uuid === username;
    }
    return (await clients.authenticate(username, password, address))?.kind === 'ADAPTOR';
  };

  return async (username, password, address) => {
    try {
      return (await isAccepted(username, password, address)) ? 'ACCEPTED' : 'REFUSED';
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHENTICATED') return 'REFUSED';
      if (error instanceof AppError && error.code === 'RATE_LIMITED') return 'UNAVAILABLE';
      log.warn({ err: error, adaptorUuid: username }, 'the credentials of an adaptor could not be checked');
      return 'UNAVAILABLE';
    }
  };
};
