import type { TokenVerifier } from '@fds/auth';
import { AppError } from '@fds/errors';
import type { Log } from '@fds/service';
import type { ClientAuthenticator } from './client-authenticator.js';
import type { IdentityDirectory } from '../directory/identity-directory.js';

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
  /** Called for tokens and holders that are refused; `clients` reports wrong secrets. */
  readonly onRefused?: ((holderUuid: string | undefined, address: string) => void) | undefined;
  /** Called for each accepted connection. */
  readonly onAccepted?: ((adaptorUuid: string, address: string) => void) | undefined;
}

/** A JWT has three parts; generated client secrets have no dots. */
const looksLikeToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Decides on connections to the adaptor bus: active adaptors only. */
export const createBusAuthenticator = ({
  clients,
  verifier,
  directory,
  log,
  onRefused,
  onAccepted,
}: BusAuthenticatorOptions): BusAuthenticator => {
  const holderOf = async (token: string): Promise<{ readonly kind: string; readonly uuid: string } | undefined> => {
    try {
      return await directory.principalOf(await verifier.verify(token));
    } catch (error) {
      if (error instanceof AppError && (error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN'))
        return undefined;
      throw error;
    }
  };

  const isAccepted = async (username: string, password: string, address: string): Promise<boolean> => {
    const isToken = looksLikeToken.test(password);
    const holder = isToken ? await holderOf(password) : await clients.authenticate(username, [password], address);
    if (holder?.kind === 'ADAPTOR' && (!isToken || holder.uuid === username)) {
      onAccepted?.(holder.uuid, address);
      return true;
    }
    if (isToken || holder !== undefined) onRefused?.(holder?.uuid, address);
    return false;
  };

  return async (username, password, address) => {
    try {
      return (await isAccepted(username, password, address)) ? 'ACCEPTED' : 'REFUSED';
    } catch (error) {
      if (error instanceof AppError && error.code === 'RATE_LIMITED') return 'UNAVAILABLE';
      log.warn({ err: error, adaptorUuid: username }, 'the credentials of an adaptor could not be checked');
      return 'UNAVAILABLE';
    }
  };
};
