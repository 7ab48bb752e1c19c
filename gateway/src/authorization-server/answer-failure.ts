import { isUnavailable } from '@fds/database';
import { AppError } from '@fds/errors';
import type { Log } from '@fds/service';
import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * Logs a failure of the server and answers with an error of RFC 6749; the status is 503 while the database is not
 * reachable.
 */
export const answerFailure =
  (log: Log) =>
  (ctx: KoaContextWithOIDC, error: unknown): void => {
    log.error({ err: error }, 'the authorization server failed');
    if (isUnavailable(error) || (error instanceof AppError && error.code === 'UNAVAILABLE')) {
      ctx.status = 503;
      ctx.set('Retry-After', '5');
      ctx.body = { error: 'temporarily_unavailable', error_description: 'the database is not reachable' };
    } else {
      ctx.status = 500;
      ctx.body = { error: 'server_error', error_description: 'the authorization server failed' };
    }
  };
