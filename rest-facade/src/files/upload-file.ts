import { AppError } from '@fds/errors';
import type { GraphqlExecutor, PreparedOperation, RequestContext } from '@fds/graphql';
import { fromGraphqlErrors } from '../problem/to-app-error.js';

/** Stores files as uploads of the API. */
export interface FileUploads {
  /**
   * Stores a file in parts while it arrives: each part while the next one is received.
   *
   * @param onBegun called with the upload's uuid as soon as the upload exists
   * @throws AppError PAYLOAD_TOO_LARGE, and the errors of the operation
   */
  send(chunks: AsyncIterable<Buffer>, context: RequestContext, onBegun: (uuid: string) => void): Promise<void>;
  /** Removes an upload. An imported upload is removed already. */
  remove(uploadUuid: string, context: RequestContext): Promise<void>;
}

/** Bytes of a part. Base64-encoded, a part is well below the limit of a GraphQL body. */
const partBytes = 512 * 1024;

const addPart = `
  mutation addUploadPart($uploadUuid: Uuid, $number: Int!, $content: String!) {
    result: addUploadPart(uploadUuid: $uploadUuid, number: $number, content: $content) { uuid }
  }`;
const removeUpload = `
  mutation removeUpload($uploadUuid: Uuid!) {
    result: removeUpload(uploadUuid: $uploadUuid)
  }`;

const inParts = async function* (chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  let size = 0;
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > maxBytes) {
      throw new AppError('PAYLOAD_TOO_LARGE', `the file has more than ${maxBytes} bytes`, { details: { maxBytes } });
    }
    held.push(chunk);
    size += chunk.length;
    if (size < partBytes) continue;
    yield Buffer.concat(held, size);
    held = [];
    size = 0;
  }
  // an empty file has one empty part
  if (size > 0 || total === 0) yield Buffer.concat(held, size);
};

const run = async (
  operation: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
): Promise<unknown> => {
  const { data, errors } = await operation.execute(variables, context);
  if (errors !== undefined && errors.length > 0) throw fromGraphqlErrors(errors);
  return data?.['result'];
};

/** @param maxFileBytes of a file */
export const createFileUploads = (executor: GraphqlExecutor, maxFileBytes: number): FileUploads => {
  const [adding, removing] = [executor.prepare(addPart), executor.prepare(removeUpload)];
  return {
    send: async (chunks, context, onBegun) => {
      let uploadUuid: string | undefined;
      let number = 0;
      const add = async (part: Buffer): Promise<void> => {
        const content = part.toString('base64');
        const { uuid } = (await run(adding, { uploadUuid, number, content }, context)) as { readonly uuid: string };
        if (uploadUuid === undefined) onBegun(uuid);
        uploadUuid = uuid;
        number += 1;
      };
      let added = Promise.resolve();
      try {
        for await (const part of inParts(chunks, maxFileBytes)) {
          await added;
          added = add(part);
          // awaited before the next part, and at the end
          added.catch(() => undefined);
        }
      } finally {
        // the caller gets to know an upload that has begun, also when the file breaks off
        await Promise.allSettled([added]);
      }
      await added;
    },
    remove: async (uploadUuid, context) => {
      await run(removing, { uploadUuid }, context);
    },
  };
};
