import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import type { KeyQueues } from '@fds/service';
import { importUpload } from '../import-upload.js';
import type { ImportFormat } from '../read-upload.js';
import { deleteUpload, findUpload, insertUpload, insertUploadPart, type StoredUpload } from '../store/uploads.js';
import type { RecordsWriting } from '../../writes/resolvers/require-written.js';
import { unknownVersion } from '../../../catalog-view/unknown-version.js';

/** Limits of uploads and imports. */
export interface ImportLimits {
  /** Limit of a file. */
  readonly maxFileBytes: number;
  /** Limit of a row. */
  readonly maxRowBytes: number;
}

export interface UploadPartArguments {
  readonly uploadUuid?: string | null;
  readonly number: number;
  readonly content: string;
}

export interface ImportDataRecordsInput {
  readonly uploadUuid: string;
  readonly format: ImportFormat;
  readonly domainName?: string | null;
  readonly versionNumber?: number | bigint | null;
  readonly mode: 'CREATE' | 'UPSERT';
  readonly atomic: boolean;
}

type Access = RecordsWriting & ImportLimits;

/** Imports go one after the other. */
const theOneQueue = '';

/** Decoding skips characters that are not base64: then there are too few bytes. */
const readContent = (content: string): Buffer => {
  const bytes = Buffer.from(content, 'base64');
  if (content.length % 4 === 0 && bytes.length === Buffer.byteLength(content, 'base64')) return bytes;
  throw new AppError('VALIDATION_FAILED', 'content is not base64', {
    errors: [{ pointer: 'content', code: 'WRONG_VALUE', detail: 'must be base64 with padding' }],
  });
};

const noUpload = (): AppError => new AppError('NOT_FOUND', 'there is no such upload');

const tooLarge = (maxBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `the file has more than ${maxBytes} bytes`, { details: { maxBytes } });

/** A caller may have so many files on their way. */
const maxUploads = 50;

const begin = async ({ database }: Access, uuid: string, ownerUuid: string): Promise<void> => {
  if (await insertUpload(database.pool, { uuid, ownerUuid, maxUploads })) return;
  throw new AppError('RATE_LIMITED', `you have ${maxUploads} uploads that are not imported yet`);
};

/**
 * Takes a part of a file.
 *
 * @throws AppError VALIDATION_FAILED, NOT_FOUND, PAYLOAD_TOO_LARGE, RATE_LIMITED, CONFLICT (not the next part)
 */
export const addUploadPart = async (
  access: Access,
  { uploadUuid, number, content }: UploadPartArguments,
  { principal }: RequestContext,
): Promise<StoredUpload> => {
  const { database, newUuid, maxFileBytes } = access;
  const bytes = readContent(content);
  const ownerUuid = principal.uuid;
  const begun = uploadUuid ?? newUuid();
  if (bytes.length > maxFileBytes) throw tooLarge(maxFileBytes);
  if (begun !== uploadUuid) await begin(access, begun, ownerUuid);
  const part = { uploadUuid: begun, ownerUuid, number, content: bytes };
  const grown = await insertUploadPart(database.pool, part, maxFileBytes);
  if (grown !== undefined) return grown;
  const found = await findUpload(database.pool, begun, ownerUuid);
  if (found === undefined) throw noUpload();
  if (found.bytes + BigInt(bytes.length) > maxFileBytes) throw tooLarge(maxFileBytes);
  throw new AppError('CONFLICT', `the next part is number ${found.parts}`, { details: { number: found.parts } });
};

/** Forgets a file; also succeeds if the file does not exist. */
export const removeUpload = async (
  { database }: Access,
  { uploadUuid }: { readonly uploadUuid: string },
  { principal }: RequestContext,
): Promise<boolean> => {
  await deleteUpload(database.pool, uploadUuid, principal.uuid);
  return true;
};

/**
 * Imports an upload, which is gone afterwards whatever came of it.
 *
 * @throws AppError NOT_FOUND, DOMAIN_INACTIVE, and as `importUpload` does
 */
export const importDataRecords = async (
  access: Access & { readonly imports: KeyQueues },
  input: ImportDataRecordsInput,
  { principal, requestId }: RequestContext,
) => {
  const { database, maxRowBytes, imports } = access;
  const { uploadUuid, domainName, versionNumber, format, mode, atomic } = input;
  const writerUuid = principal.uuid;
  const upload = await findUpload(database.pool, uploadUuid, writerUuid);
  if (upload === undefined) throw noUpload();
  try {
    if (domainName === null || domainName === undefined) {
      throw new AppError('INVALID_PARAMETER', 'a domain must be named', {
        errors: [{ pointer: 'domainName', code: 'REQUIRED', detail: 'name is required' }],
      });
    }
    const view = access.view();
    const version = await view.findVersion(domainName, Number(versionNumber ?? 0));
    if (version === undefined) throw unknownVersion(domainName, versionNumber);
    if (!version.active) {
      throw new AppError('DOMAIN_INACTIVE', `${version.domainName}:v${version.versionNumber} is not active`);
    }
    const atomicity = atomic ? 'ALL' : 'EACH';
    const { dataAccess } = principal;
    const order = { upload, version, format, mode, atomicity, writerUuid, requestId, dataAccess } as const;
    const { counts, faults } = await imports.run(theOneQueue, () =>
      importUpload({ ...access, view, maxRowBytes }, order),
    );
    return { ...counts, errors: faults };
  } finally {
    await deleteUpload(database.pool, uploadUuid, writerUuid);
  }
};
