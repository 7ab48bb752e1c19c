import type { Queryable } from '@fds/database';

/** A file whose parts have been received in part. */
export interface StoredUpload {
  readonly uuid: string;
  readonly bytes: bigint;
  readonly parts: number;
}

const abandonedAfter = '1 hour';

/**
 * Begins an upload; deletes abandoned ones.
 *
 * @returns false when its owner has `maxUploads` already
 */
export const insertUpload = async (
  client: Queryable,
  { uuid, ownerUuid, maxUploads }: { readonly uuid: string; readonly ownerUuid: string; readonly maxUploads: number },
): Promise<boolean> => {
  const { rowCount } = await client.query({
    name: 'records-insert-upload',
    text: `WITH abandoned AS (DELETE FROM record_upload WHERE last_updated < now() - interval '${abandonedAfter}')
           INSERT INTO record_upload (uuid, owner_uuid)
           SELECT $1, $2 WHERE (SELECT count(*) FROM record_upload WHERE owner_uuid = $2) < $3`,
    values: [uuid, ownerUuid, maxUploads],
  });
  return rowCount === 1;
};

/** An upload of this owner. */
export const findUpload = async (
  client: Queryable,
  uuid: string,
  ownerUuid: string,
): Promise<StoredUpload | undefined> => {
  const { rows } = await client.query<StoredUpload>({
    name: 'records-find-upload',
    text: 'SELECT uuid, bytes, parts FROM record_upload WHERE uuid = $1 AND owner_uuid = $2',
    values: [uuid, ownerUuid],
  });
  return rows[0];
};

export interface UploadPart {
  readonly uploadUuid: string;
  readonly ownerUuid: string;
  /** From 0. */
  readonly number: number;
  readonly content: Buffer;
}

/**
 * Adds the next part.
 *
 * @param maxBytes of the whole file
 * @returns the upload after it; undefined: there is no such upload, the part is not its next, or it would be too large
 */
export const insertUploadPart = async (
  client: Queryable,
  { uploadUuid, ownerUuid, number, content }: UploadPart,
  maxBytes: number,
): Promise<StoredUpload | undefined> => {
  const { rows } = await client.query<StoredUpload>({
    name: 'records-insert-upload-part',
    text: `WITH grown AS (
             UPDATE record_upload SET bytes = bytes + octet_length($4::bytea), parts = parts + 1, last_updated = now()
             WHERE uuid = $1 AND owner_uuid = $2 AND parts = $3 AND bytes + octet_length($4::bytea) <= $5
             RETURNING uuid, bytes, parts
           ), part AS (
             INSERT INTO record_upload_part (upload_uuid, number, content) SELECT uuid, $3, $4 FROM grown
           )
           SELECT uuid, bytes, parts FROM grown`,
    values: [uploadUuid, ownerUuid, number, content, maxBytes],
  });
  return rows[0];
};

/** @throws Error when the part does not exist, or no longer exists */
export const loadUploadPart = async (client: Queryable, uploadUuid: string, number: number): Promise<Buffer> => {
  const { rows } = await client.query<{ readonly content: string }>({
    name: 'records-load-upload-part',
    // base64 text is two thirds of the length of bytea's hexadecimal text, and faster to decode
    text: "SELECT encode(content, 'base64') AS content FROM record_upload_part WHERE upload_uuid = $1 AND number = $2",
    values: [uploadUuid, number],
  });
  const [part] = rows;
  if (part === undefined) throw new Error(`part ${number} of upload ${uploadUuid} has gone`);
  return Buffer.from(part.content, 'base64');
};

/** Removes an upload of this owner; does nothing if the upload does not exist. */
export const deleteUpload = async (client: Queryable, uuid: string, ownerUuid: string): Promise<void> => {
  await client.query({
    name: 'records-delete-upload',
    text: 'DELETE FROM record_upload WHERE uuid = $1 AND owner_uuid = $2',
    values: [uuid, ownerUuid],
  });
};
