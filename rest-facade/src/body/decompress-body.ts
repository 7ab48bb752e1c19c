import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { AppError } from '@fds/errors';

const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const;

type Encoding = keyof typeof decoders;

const isEncoding = (word: string): word is Encoding => Object.hasOwn(decoders, word);

/** Content encodings that bodies may have, in the form of `Accept-Encoding`. */
const acceptedEncodings = Object.keys(decoders).join(', ');

const refuse = (cause: unknown, maxBytes: number): AppError =>
  (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    ? new AppError('PAYLOAD_TOO_LARGE', `the body has more than ${maxBytes} bytes`)
    : new AppError('MALFORMED_JSON', 'the body is not encoded as its Content-Encoding says', { cause });

/**
 * Removes the content encoding of a body.
 *
 * @param encoding value of the header `Content-Encoding`
 * @param maxBytes most bytes of the result
 * @throws AppError UNSUPPORTED_MEDIA_TYPE with `acceptEncoding`, PAYLOAD_TOO_LARGE, MALFORMED_JSON
 */
export const decompressBody = async (body: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> => {
  const word = (encoding ?? 'identity').trim().toLowerCase();
  if (word === 'identity' || word === '') return body;
  if (!isEncoding(word)) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `the content encoding is none of ${acceptedEncodings}`, {
      details: { acceptEncoding: acceptedEncodings },
    });
  }
  try {
    return await decoders[word](body, { maxOutputLength: maxBytes });
  } catch (error) {
    throw refuse(error, maxBytes);
  }
};
