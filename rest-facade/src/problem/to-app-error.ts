import { AppError, isErrorCode, type ErrorCause, type ErrorCode } from '@fds/errors';
import type { GraphqlErrorAnswer } from '@fds/graphql';

const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
};

const statusOf = (error: Error): number | undefined =>
  'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;

/** Turns any thrown value into a catalogued error: refusals of the HTTP server by their status, everything else INTERNAL. */
export const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  const status = error instanceof Error ? statusOf(error) : undefined;
  if (error instanceof Error && status !== undefined && (status < 500 || status === 503)) {
    return new AppError(codesByStatus[status] ?? 'INVALID_PARAMETER', error.message, { cause: error });
  }
  return new AppError('INTERNAL', 'the service failed', { cause: error });
};

/** Members of `extensions` that belong to the problem itself, or to Apollo. */
const reserved = new Set(['code', 'errors', 'requestId', 'serviceName', 'stacktrace', 'exception', 'http']);

/** Codes of GraphQL servers for faults of the client. */
const foreignCodes: Readonly<Record<string, ErrorCode>> = { BAD_USER_INPUT: 'VALIDATION_FAILED' };

const codeOf = (word: unknown): ErrorCode => {
  if (isErrorCode(word)) return word;
  return (typeof word === 'string' ? foreignCodes[word] : undefined) ?? 'INTERNAL';
};

/** Translates a place in the passed value to the place in the request. */
type Locate = (pointer: string) => string;

const causesOf = (errors: unknown, locate: Locate): ErrorCause[] =>
  Array.isArray(errors) ? (errors as ErrorCause[]).map((cause) => ({ ...cause, pointer: locate(cause.pointer) })) : [];

const fromGraphqlError = ({ message, extensions = {} }: GraphqlErrorAnswer, locate: Locate): AppError =>
  new AppError(codeOf(extensions['code']), message, {
    errors: causesOf(extensions['errors'], locate),
    details: Object.fromEntries(Object.entries(extensions).filter(([name]) => !reserved.has(name))),
    cause: message,
  });

/**
 * The error of an operation as a REST error. The most severe of several errors decides: failures before unknown
 * resources, and unknown resources before refusals.
 */
export const fromGraphqlErrors = (
  errors: readonly GraphqlErrorAnswer[],
  locate: Locate = (pointer) => pointer,
): AppError => {
  const gravity = ({ definition }: AppError): number => (definition.status === 404 ? 499 : definition.status);
  return errors
    .map((error) => fromGraphqlError(error, locate))
    .reduce((worst, error) => (gravity(error) > gravity(worst) ? error : worst));
};
