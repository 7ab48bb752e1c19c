import { createHash } from 'node:crypto';
import { AppError } from '@fds/errors';
import type { Log } from '@fds/service';
import type { EndpointAnswer, EndpointRequest, FileEndpoint, PermittedEndpoint } from '../http/endpoint.js';
import { takeIncomingFile } from './incoming-file.js';
import type { FileUploads } from './upload-file.js';

export interface ReceiveOptions {
  readonly uploads: FileUploads;
  readonly maxFileBytes: number;
  readonly log: Log;
}

/** Bytes that the parts of a form may have in addition to its file. */
const formBytes = 64 * 1024;

const fingerprinted = async function* (
  chunks: AsyncIterable<Buffer>,
  onChunk: (chunk: Buffer) => void,
): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) {
    onChunk(chunk);
    yield chunk;
  }
};

/**
 * Lets an endpoint with the body `{uploadUuid, format}` accept a file. The file is received completely and stored as an
 * upload before the endpoint runs. A file that is incomplete or too large has no effect.
 */
export const receiveFile = (
  endpoint: PermittedEndpoint,
  { uploads, maxFileBytes, log }: ReceiveOptions,
): FileEndpoint => {
  const serveUpload = async (request: EndpointRequest, onBegun: (uuid: string) => void): Promise<EndpointAnswer> => {
    const { stream, headers, principal, requestId, authorization } = request;
    if (stream === undefined) throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'the request has no body');
    if (Number(headers['content-length'] ?? 0) > maxFileBytes + formBytes) {
      stream.resume();
      throw new AppError('PAYLOAD_TOO_LARGE', `the file has more than ${maxFileBytes} bytes`, {
        details: { maxBytes: maxFileBytes },
      });
    }
    let uploadUuid: string | undefined;
    // the digest that distinguishes files with the same Idempotency-Key
    const hash = headers['idempotency-key'] === undefined ? undefined : createHash('sha256');
    const format = await takeIncomingFile(headers, stream, async (file) => {
      const chunks = hash === undefined ? file.chunks : fingerprinted(file.chunks, (chunk) => hash.update(chunk));
      await uploads.send(chunks, { principal, requestId, authorization }, (uuid) => {
        uploadUuid = uuid;
        onBegun(uuid);
      });
      return file.format;
    });
    const fingerprint = hash === undefined ? undefined : `${format} ${hash.digest('hex')}`;
    return endpoint.serve({
      ...request,
      body: { uploadUuid, format },
      ...(fingerprint === undefined ? {} : { fingerprint }),
    });
  };

  const serve = async (request: EndpointRequest): Promise<EndpointAnswer> => {
    const { principal, requestId, authorization } = request;
    let begun: string | undefined;
    try {
      return await serveUpload(request, (uuid) => {
        begun = uuid;
      });
    } finally {
      if (begun !== undefined) {
        await uploads.remove(begun, { principal, requestId, authorization }).catch((err: unknown) => {
          // uploads expire by themselves
          log.warn({ requestId, err }, 'an upload could not be removed');
        });
      }
    }
  };
  return { ...endpoint, takes: 'file', serve };
};
