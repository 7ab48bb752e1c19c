import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  NoSuchUpload,
  type S3Client,
} from '@aws-sdk/client-s3';

/** Start of a page of uploads. */
interface Marker {
  readonly KeyMarker?: string | undefined;
  readonly UploadIdMarker?: string | undefined;
}

/** Undefined after the last page, and when the storage repeats a page. */
const nextPage = (page: ListMultipartUploadsCommandOutput, marker: Marker): Marker | undefined => {
  const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
  const advances = KeyMarker !== marker.KeyMarker || UploadIdMarker !== marker.UploadIdMarker;
  return IsTruncated === true && advances ? { KeyMarker, UploadIdMarker } : undefined;
};

/** @throws the failure of the storage, unless the upload ended in the meantime */
const abort = async (
  client: S3Client,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): Promise<void> => {
  try {
    await client.send(new AbortMultipartUploadCommand(upload));
  } catch (error) {
    if (!(error instanceof NoSuchUpload)) throw error;
  }
};

/**
 * Aborts every multipart upload of an object that a crash left open: its parts are not visible, but they use space.
 * Uploads of other objects continue, also if their keys begin with the same text.
 */
export const abortUploads = async (
  client: S3Client,
  object: { readonly Bucket: string; readonly Key: string },
): Promise<void> => {
  let marker: Marker | undefined = {};
  while (marker !== undefined) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: object.Bucket, Prefix: object.Key, ...marker }),
    );
    for (const { Key: key, UploadId: id } of page.Uploads ?? []) {
      if (key === object.Key && id !== undefined) await abort(client, { ...object, UploadId: id });
    }
    marker = nextPage(page, marker);
  }
};
