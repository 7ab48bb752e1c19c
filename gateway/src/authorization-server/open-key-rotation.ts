import { repeatEvery, type Closable, type Log } from '@fds/service';
import type { AuthorizationServer } from './authorization-server.js';

export interface KeyRotationOptions {
  readonly authorizationServer: Pick<AuthorizationServer, 'rotateKeys'>;
  /** Age at which the signing key is followed by a new one. */
  readonly maxAgeMs: number;
  readonly log: Log;
  /** Time between two checks of the age. Default: an hour. */
  readonly intervalMs?: number;
}

const hourMs = 3_600_000;

/**
 * Publishes a new signing key when the latest reaches its maximum age. Several processes may run it at once. A failure
 * is logged and tried again.
 */
export const openKeyRotation = ({
  authorizationServer,
  maxAgeMs,
  log,
  intervalMs = hourMs,
}: KeyRotationOptions): Closable =>
  repeatEvery({
    intervalMs,
    work: async () => {
      if (await authorizationServer.rotateKeys(maxAgeMs)) log.info('a new signing key was published');
    },
    log,
    onFailure: 'the signing keys could not be rotated, will try again',
  });
