import { AppError } from '@fds/errors';

const parameter = /;\s*charset\s*=\s*["']?([^\s"';]*)/i;
/** Names of UTF-8, and of its part with one byte for each character. */
const accepted: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

/**
 * Refuses content in another encoding than UTF-8, whether it is a body or a part of a form.
 *
 * @param what names the content in the answer
 * @throws AppError UNSUPPORTED_MEDIA_TYPE
 */
export const requireUtf8 = (contentType: string | undefined, what: string): void => {
  const charset = parameter.exec(contentType ?? '')?.[1];
  if (charset === undefined || accepted.has(charset.toLowerCase())) return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', `${what} is UTF-8, not ${charset}`);
};
