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
  const faults: ErrorCause[] = [];
  let file: BusboyFileStream | undefined;
  let taking: Promise<T> | undefined;

  const takeFrom = async (stream: BusboyFileStream, contentType: string, fileName: string): Promise<T> => {
    try {
      const chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
      return await take({ format: fileFormatOf(contentType, fileName), chunks });
    } finally {
      stream.resume();
    }
  };

  parser.on('field', (name) => faults.push(unknownField(name)));
  parser.on('file', (name, stream, fileName, _encoding, contentType) => {
    // the parser reports the same error; without a listener, a form that ends after its reader has stopped would end
    // the process
    stream.on('error', () => undefined);
    if (name === fileField && taking === undefined) {
      file = stream;
      taking = takeFrom(stream, contentType, fileName);
      taking.catch(() => undefined);
      return;
    }
    faults.push(unknownField(name));
    stream.resume();
  });
  const read = new Promise<void>((resolve, reject) => {
    parser.once('finish', resolve);
    parser.on('error', reject);
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
