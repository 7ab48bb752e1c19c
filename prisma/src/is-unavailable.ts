import { AppError } from '@fds/errors';

const systemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Prisma: cannot reach, timed out, connection closed, pool timeout, too many connections. */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037']);

/** SQLSTATE class 08, connection exception, is one as a whole. */
const sqlStates = new Set([
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
]);

/** What `pg` says without a code. */
const driverMessage =
  /^(Connection terminated|timeout (expired|exceeded) when trying to connect|Client has encountered a connection error)/;

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

const isUnavailableCode = (code: string): boolean =>
  systemCodes.has(code) || prismaCodes.has(code) || sqlStates.has(code) || /^08[0-9A-Z]{3}$/.test(code);

const isUnavailableKind = (kind: unknown): boolean =>
  kind === 'DatabaseNotReachable' ||
  kind === 'ConnectionClosed' ||
  kind === 'TooManyConnections' ||
  kind === 'SocketTimeout';

/**
 * Whether an error of `pg` or Prisma says that the database cannot be reached or takes no work now: refused, cut,
 * shutting down, starting, too many connections. Looks through causes and aggregates.
 */
export const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code !== undefined && isUnavailableCode(code)) return true;
  if (driverMessage.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  if ('kind' in error && isUnavailableKind(error.kind)) return true;
  const { cause } = error;
  if (typeof cause === 'object' && cause !== null && 'kind' in cause && isUnavailableKind(cause.kind)) return true;
  return isUnavailable(cause);
};

/** The error as the doors answer it: `UNAVAILABLE` when the database cannot be reached, else as it was. */
export const toUnavailable = (error: unknown): unknown =>
  isUnavailable(error) ? new AppError('UNAVAILABLE', 'the database is not reachable', { cause: error }) : error;
