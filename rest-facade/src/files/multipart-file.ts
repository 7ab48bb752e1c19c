import type { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import { AppError, type ErrorCause } from '@fds/errors';
import { fileFormatOf } from './file-format.js';
import type { TakeFile } from './take-file.js';

const fileField = 'file';
const maxFieldBytes = 1024;
const maxParts = 20;

const malformed = (cause?: unknown): AppError =>
  new AppError('VALIDATION_FAILED', 'the multipart form cannot be read', {
    errors: [{ pointer: '', code: 'MALFORMED', detail: 'the multipart form is malformed or breaks off' }],
    cause,
  });

const openParser = (headers: IncomingHttpHeaders): InstanceType<typeof Busboy> => {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fieldSize: maxFieldBytes, parts: maxParts },
      isPartAFile: (name, type, fileName) =>
        name === fileField || fileName !== undefined || type === 'application/octet-stream',
    });
  } catch (cause) {
    throw malformed(cause);
  }
};

type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** The parser inside busboy, whose parts have all their headers. */
interface WithParts {
  readonly _parser?: { readonly parser?: Pick<EventEmitter, 'on'> };
}

/**
 * The headers of the part that is read. Busboy passes on the media type of a part without its parameters, so that its
 * charset would be lost.
 *
 * @throws TypeError when busboy has no such parser
 */
const followHeaders = (parser: InstanceType<typeof Busboy>): (() => PartHeaders) => {
  const { parser: parts } = (parser as unknown as WithParts)._parser ?? {};
  if (parts === undefined) throw new TypeError('the parser of forms has no parser of parts');
  let current: PartHeaders = {};
  parts.on('part', (part: EventEmitter) => {
    part.prependListener('header', (headers: PartHeaders) => (current = headers));
  });
  return () => current;
};

/** A part in one of these is passed on as it is. */
const plainEncodings: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);

const requirePlain = (encoding: string): void => {
  if (plainEncodings.has(encoding.trim())) return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', `a file is sent without an encoding, not with ${encoding}`);
};

const unknownField = (name: string): ErrorCause => ({
  pointer: name,
  code: 'UNKNOWN_MEMBER',
  detail: `the form has one field: ${fileField}, not ${name}`,
});

/**
 * Passes on the field `file` of a form while it arrives. The result of `take` counts only if the whole form is valid.
 *
 * @throws AppError VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE, and the errors of `take`
 */
export const takeMultipartFile = async <T>(
  headers: IncomingHttpHeaders,
  body: Readable,
  take: TakeFile<T>,
): Promise<T> => {
  const parser = openParser(headers);
  const headersOfPart = followHeaders(parser);
  const faults: ErrorCause[] = [];
  let file: BusboyFileStream | undefined;
  let taking: Promise<T> | undefined;

  const takeFrom = async (
    stream: BusboyFileStream,
    { contentType, encoding, fileName }: Readonly<Record<'contentType' | 'encoding' | 'fileName', string>>,
  ): Promise<T> => {
    try {
      requirePlain(encoding);
      const chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
      return await take({ format: fileFormatOf(contentType, fileName), chunks });
    } finally {
      stream.resume();
    }
  };

  parser.on('field', (name) => faults.push(unknownField(name)));
  parser.on('file', (name, stream, fileName, encoding, mediaType) => {
    // the parser reports the same error; without a listener, a form that ends after its reader has stopped would end
    // the process
    stream.on('error', () => undefined);
    if (name === fileField && taking === undefined) {
      file = stream;
      const contentType = headersOfPart()['content-type']?.[0] ?? mediaType;
      taking = takeFrom(stream, { contentType, encoding, fileName });
      taking.catch(() => undefined);
      return;
    }
    faults.push(unknownField(name));
    stream.resume();
  });
  const read = new Promise<void>((resolve, reject) => {
    parser.once('finish', resolve);
    parser.on('error', reject);
    // further parts would be skipped one by one, which takes much longer than to discard the body
    parser.once('partsLimit', () => {
      body.unpipe(parser);
      reject(new Error(`the form has more than ${maxParts} parts`));
    });
    body.once('error', reject);
    body.once('aborted', () => reject(new Error('the request was cut off')));
  });
  body.pipe(parser);
  try {
    await read;
  } catch (cause) {
    body.unpipe(parser);
    file?.destroy(malformed(cause));
    await taking?.catch(() => undefined);
    throw malformed(cause);
  }
  if (taking === undefined) {
    throw new AppError('VALIDATION_FAILED', `the form has no field ${fileField}`, {
      errors: [{ pointer: fileField, code: 'REQUIRED', detail: `the form must have a file in the field ${fileField}` }],
    });
  }
  const taken = await taking;
  if (faults.length > 0) throw new AppError('VALIDATION_FAILED', 'the form has more than a file', { errors: faults });
  return taken;
};
