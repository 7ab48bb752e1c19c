import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError } from '@fds/errors';
import { fileFormatOf } from './file-format.js';
import { takeMultipartFile } from './multipart-file.js';
import type { TakeFile } from './take-file.js';

const isMultipart = (contentType: string | undefined): boolean =>
  contentType?.toLowerCase().startsWith('multipart/form-data') === true;

/**
 * Passes on the file of a request: its body, or the field `file` of a multipart form. It always reads the body to its
 * end, so that the answer reaches clients that first send everything.
 *
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED (the form), and the errors of `take`
 */
export const takeIncomingFile = async <T>(
  headers: IncomingHttpHeaders,
  body: Readable,
  take: TakeFile<T>,
): Promise<T> => {
  const { 'content-type': contentType, 'content-encoding': encoding = 'identity' } = headers;
  try {
    if (encoding !== 'identity') {
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', `a file is sent without an encoding, not with ${encoding}`);
    }
    if (isMultipart(contentType)) return await takeMultipartFile(headers, body, take);
    const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    return await take({ format: fileFormatOf(contentType), chunks });
  } finally {
    body.resume();
  }
};
