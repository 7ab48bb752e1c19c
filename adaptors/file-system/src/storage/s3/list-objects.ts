import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import type { CompiledFilter } from '../../filters/filter.js';
import type { Location } from '../../uris/location.js';
import type { FoundFile, ScanBatch, Unreadable } from '../storage.js';
import { isTemporaryName } from '../temporary-name.js';

/** Reason why a key cannot be a path; undefined when it can. */
const unusableKey = (path: string): string | undefined => {
  if (path.includes('%')) return 'a name with % cannot be monitored';
  const segments = path.split('/');
  return segments.some((segment) => ['', '.', '..'].includes(segment))
    ? 'a key with an empty segment, . or .. cannot be monitored'
    : undefined;
};

/**
 * Do all folders above a key pass the filter? A folder of an object storage is the beginning of a key. Each folder is
 * checked once.
 */
const createFolderCheck = (passes: CompiledFilter): ((path: string) => boolean) => {
  const known = new Map<string, boolean>([['', true]]);
  const check = (folder: string): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const slash = folder.lastIndexOf('/');
    const name = folder.slice(slash + 1);
    const result =
      check(slash < 0 ? '' : folder.slice(0, slash)) &&
      passes({ name, kind: 'FOLDER', size: 0, modifiedMs: 0, canRead: () => true });
    known.set(folder, result);
    return result;
  };
  return check;
};

/**
 * The objects below a location that pass the filter, a page at a time.
 *
 * @param pageKeys maximum number of keys in a page; the storage may have a lower limit
 * @throws the error of the client
 */
export async function* listObjects(
  client: S3Client,
  { authority: bucket, segments }: Location,
  passes: CompiledFilter | undefined,
  signal: AbortSignal,
  pageKeys = 1_000,
): AsyncGenerator<Omit<ScanBatch, 'identity'>> {
  const prefix = segments.length === 0 ? '' : `${segments.join('/')}/`;
  const folderPasses = passes === undefined ? () => true : createFolderCheck(passes);
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        MaxKeys: pageKeys,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
      { abortSignal: signal },
    );
    const files: FoundFile[] = [];
    const unreadable: Unreadable[] = [];
    for (const { Key: key = '', Size: size = 0, LastModified: modified, ETag: stamp } of page.Contents ?? []) {
      // a key that ends with a slash stands for a folder
      if (key.endsWith('/')) continue;
      const path = key.slice(prefix.length);
      const reason = unusableKey(path);
      if (reason !== undefined) {
        unreadable.push({ path, reason });
        continue;
      }
      const slash = path.lastIndexOf('/');
      const name = path.slice(slash + 1);
      const modifiedMs = modified?.getTime() ?? 0;
      if (isTemporaryName(name) || !folderPasses(slash < 0 ? '' : path.slice(0, slash))) continue;
      if (passes !== undefined && !passes({ name, kind: 'FILE', size, modifiedMs, canRead: () => true })) continue;
      files.push({ path, size, modifiedMs, stamp });
    }
    yield { files, unreadable };
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}
