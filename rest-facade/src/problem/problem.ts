import type { AppError, ErrorCode } from '@fds/errors';
import { stringifyJson } from '@fds/json';

/** An error answer that is ready to be sent (RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text of the problem details. */
  readonly body: string;
}

/** The origin of a problem. */
export interface ProblemPlace {
  /** Address of the page of error codes. The code is the fragment. */
  readonly errorsPage: string;
  /** Path of the request. */
  readonly instance: string;
  readonly requestId: string;
}

export const problemType = 'application/problem+json; charset=utf-8';

const retryAfterSeconds: Readonly<Partial<Record<ErrorCode, string>>> = { UNAVAILABLE: '5', RATE_LIMITED: '1' };

/** RFC 6750 section 3: no error code when the request had no token. */
const challengeOf = ({ details, message }: AppError): string =>
  details['reason'] === undefined || details['reason'] === 'missing'
    ? 'Bearer realm="fds"'
    : `Bearer realm="fds", error="invalid_token", error_description="${message.replaceAll(/["\\]/g, "'")}"`;

const ownRetryAfter = ({ code, details }: AppError): string | undefined =>
  code === 'IDEMPOTENCY_IN_PROGRESS' ? String(details['retryAfterSeconds']) : undefined;

const headersOf = (error: AppError): Readonly<Record<string, string>> => {
  const { code, details } = error;
  if (code === 'UNAUTHENTICATED') return { 'www-authenticate': challengeOf(error) };
  if (code === 'METHOD_NOT_ALLOWED') return { allow: String(details['allow']) };
  if ('acceptEncoding' in details) return { 'accept-encoding': String(details['acceptEncoding']) };
  const retryAfter = retryAfterSeconds[code] ?? ownRetryAfter(error);
  return retryAfter === undefined ? {} : { 'retry-after': retryAfter };
};

/** Renders an error as problem details. Of INTERNAL nothing is told but the request id. */
export const renderProblem = (error: AppError, { errorsPage, instance, requestId }: ProblemPlace): Problem => {
  const { code, details, errors, message, definition } = error;
  const isInternal = code === 'INTERNAL';
  const body = {
    ...(isInternal ? {} : details),
    type: `${errorsPage}#${code}`,
    title: definition.title,
    status: definition.status,
    detail: isInternal ? definition.advice : message,
    instance,
    code,
    requestId,
    ...(errors.length === 0 || isInternal ? {} : { errors }),
  };
  return { status: definition.status, headers: headersOf(error), body: stringifyJson(body) };
};
