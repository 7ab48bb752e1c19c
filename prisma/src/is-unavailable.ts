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

/** The whole SQLSTATE class 08, connection exception, also counts. */
const sqlStates = new Set([
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
]);

/** Messages of Prisma's driver adapter. */
const kinds: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'TooManyConnections',
  'SocketTimeout',
]);

/** Messages of `pg` without a code. */
const driverMessage =
  /^(Connection terminated|timeout (expired|exceeded) when trying to connect|Client has encountered a connection error)/;

const isUnavailableCode = (code: unknown): boolean =>
  typeof code === 'string' &&
  (systemCodes.has(code) || prismaCodes.has(code) || sqlStates.has(code) || /^08[0-9A-Z]{3}$/.test(code));

/** The errors inside an error: its cause, the parts of an aggregate, and the driver's error inside Prisma's error. */
const within = (error: object): unknown[] => [
  ...('cause' in error ? [error.cause] : []),
  ...('errors' in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : []),
  ...('meta' in error && typeof error.meta === 'object' && error.meta !== null && 'driverAdapterError' in error.meta
    ? [error.meta.driverAdapterError]
    : []),
];

/**
 * Does an error of `pg` or Prisma mean that the database cannot be reached or does not accept work now? Examples:
 * connection refused or lost, shutting down, starting, too many connections. The function also checks causes and
 * aggregates.
 */
export const isUnavailable = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && isUnavailableCode(error.code)) return true;
  if ('kind' in error && kinds.has(error.kind)) return true;
  if ('message' in error && typeof error.message === 'string' && driverMessage.test(error.message)) return true;
  return within(error).some(isUnavailable);
};

/** Prisma: a transaction did not begin or end in time. */
const overdueTransaction = 'P2028';
/** A statement of a transaction was cancelled after its time-out. */
const queryCanceled = '57014';

/** Does an error of Prisma mean that a transaction was rolled back because it took too long? */
const isOverdue = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null || error instanceof AppError) return false;
  if ('code' in error && error.code === overdueTransaction) return true;
  if ('originalCode' in error && error.originalCode === queryCanceled) return true;
  return within(error).some(isOverdue);
};

/**
 * The error for the answer of a door: `UNAVAILABLE` when the database cannot be reached or a change took too long,
 * otherwise the unchanged error.
 */
export const toUnavailable = (error: unknown): unknown => {
  if (isOverdue(error))
    return new AppError('UNAVAILABLE', 'the change took too long and was undone: try again later', { cause: error });
  return isUnavailable(error) ? new AppError('UNAVAILABLE', 'the database is not reachable', { cause: error }) : error;
};
