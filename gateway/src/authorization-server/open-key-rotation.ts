import type { Closable, Log } from '@fds/service';
import type { AuthorizationServer } from './authorization-server.js';

export interface KeyRotationOptions {
  readonly authorizationServer: Pick<AuthorizationServer, 'rotateKeys'>;
  /** Age at which the signing key is followed by a new one. */
  readonly maxAgeMs: number;
  readonly log: Log;
  /** How often the age is looked at. Default: an hour. */
  readonly intervalMs?: number;
}

const hourMs = 3_600_000;

/** Rotates the signing keys as they come of age, whichever process sees it first. A failure is logged and tried again. */
export const openKeyRotation = ({
  authorizationServer,
  maxAgeMs,
  log,
  intervalMs = hourMs,
}: KeyRotationOptions): Closable => {
  let running: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    try {
      if (await authorizationServer.rotateKeys(maxAgeMs)) log.info('a new signing key was published');
    } catch (error) {
      log.warn({ err: error }, 'the signing keys could not be rotated, will try again');
    } finally {
      running = undefined;
    }
  };
  const timer = setInterval(() => {
    running ??= look();
  }, intervalMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
