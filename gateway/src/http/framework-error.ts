import { AppError } from '@fds/errors';

/** Gives errors of fastify itself our codes. Other errors stay unchanged. */
export const fromFrameworkError = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('PAYLOAD_TOO_LARGE', 'the body is over the limit');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'send application/json');
  }
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return new AppError('MALFORMED_JSON', 'the body is empty');
  return error;
};
