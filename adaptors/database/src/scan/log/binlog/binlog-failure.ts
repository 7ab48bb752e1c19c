import { LogLost } from '../log-lost.js';
import { LogUnavailable } from '../log-unavailable.js';

/** Another reader with the same server id has replaced this one. */
export class ServerIdTaken extends Error {
  override readonly name = 'ServerIdTaken';
}

/** `errno` values of the server: the position is no longer in the log, missing rights, and a second reader. */
const errors = { lost: 1236, missingRights: 1227, sameServerId: 4052 };

/** Codes of connection failures, which are temporary. */
const isOfConnection = (code: string): boolean =>
  /^(?:PROTOCOL_|ER_|ERR_STREAM_|ERR_SOCKET_|ERR_SSL_|E[A-Z]+$)/.test(code);

/** Converts the failure of the log to the error that the adaptor handles. @param serverId of this reader */
export const binlogFailure = (error: Error, serverId: number): Error => {
  const { errno, code } = error as Error & { readonly errno?: number; readonly code?: string };
  if (errno === errors.sameServerId || error.message.includes('same server_uuid/server_id'))
    return new ServerIdTaken(`another reader of the binary log uses the server id ${serverId}`, { cause: error });
  if (errno === errors.lost) return new LogLost(error.message, { cause: error });
  if (errno === errors.missingRights) return new LogUnavailable(error.message, { cause: error });
  if (code === undefined || !isOfConnection(code))
    return new LogLost(`the library cannot read an event: ${error.message}`, { cause: error });
  return error;
};
