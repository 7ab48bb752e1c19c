import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { compileFilter } from '../../filters/compile-filter.js';
import type { Filter } from '../../filters/filter.js';
import { formatLocation, isWithin, type Location } from '../../uris/location.js';
import { checkedContent } from '../checked-content.js';
import type {
  Entry,
  FileFacts,
  FolderIdentity,
  OpenedFile,
  PendingFile,
  Replaced,
  ScanBatch,
  Storage,
  WrittenFile,
} from '../storage.js';
import { StorageFault } from '../storage-fault.js';
import { abortUploads } from './abort-uploads.js';
import { listObjects } from './list-objects.js';
import { toS3Fault } from './to-s3-fault.js';

/** Access to an object storage. */
export interface S3Settings {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Address of a compatible storage; undefined: AWS. */
  readonly endpoint: string | undefined;
}

/** A smaller object is uploaded in one request. */
const partBytes = 8 * 1024 * 1024;
/** Maximum of the protocol. */
const maxParts = 10_000;

const keyOf = ({ segments }: Location): string => segments.join('/');

const objectOf = (location: Location): { readonly Bucket: string; readonly Key: string } => ({
  Bucket: location.authority,
  Key: keyOf(location),
});

const factsOf = (head: {
  readonly ContentLength?: number | undefined;
  readonly LastModified?: Date | undefined;
  readonly ETag?: string | undefined;
}): FileFacts => ({
  size: head.ContentLength ?? 0,
  modifiedMs: head.LastModified?.getTime() ?? 0,
  stamp: head.ETag,
});

const failing = async <T>(location: Location, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw toS3Fault(error, formatLocation(location), `s3://${location.authority}`);
  }
};

/** Metadata of an object that names the copy that made it. */
const tokenName = 'fds-copy';

/** An object and the token of the copy that made it. */
interface FoundObject extends Entry {
  readonly token: string | undefined;
}

/** Storage for objects. An object appears when its upload is complete, never in part. */
export const createS3Storage = ({ region, accessKeyId, secretAccessKey, endpoint }: S3Settings): Storage => {
  const client = new S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  });

  const upload = async (target: Location, file: OpenedFile, token: string): Promise<WrittenFile> => {
    const { size } = file.facts;
    const { content, digest } = checkedContent(file);
    const task = new Upload({
      client,
      params: { ...objectOf(target), Body: content, Metadata: { [tokenName]: token } },
      partSize: Math.max(partBytes, Math.ceil(size / maxParts)),
      queueSize: 2,
    });
    try {
      const { ETag: tag = '' } = await task.done();
      return { mark: tag, digest: digest() };
    } finally {
      content.destroy();
    }
  };

  const find = (file: Location): Promise<FoundObject | undefined> =>
    failing(file, async () => {
      try {
        const head = await client.send(new HeadObjectCommand(objectOf(file)));
        const token = head.Metadata?.[tokenName];
        return {
          ...factsOf(head),
          isFile: true,
          isFolder: false,
          mark: head.ETag ?? '',
          token,
          isSigned: token !== undefined,
        };
      } catch (error) {
        if (toS3Fault(error, '', '').kind === 'GONE') return undefined;
        throw error;
      }
    });

  const refuseUnlessReplaceable = async (target: Location, replaced: Replaced): Promise<void> => {
    if (replaced === 'ANY') return;
    const mark = (await find(target))?.mark;
    if (mark !== (replaced === 'ABSENT' ? undefined : replaced.mark))
      throw new StorageFault('FOREIGN', `${formatLocation(target)} was changed in the meantime`);
  };

  async function* scan(folder: Location, filter: Filter | undefined, signal: AbortSignal): AsyncGenerator<ScanBatch> {
    try {
      for await (const page of listObjects(
        client,
        folder,
        filter === undefined ? undefined : compileFilter(filter),
        signal,
      ))
        yield { ...page, identity: identityOf(folder) };
    } catch (error) {
      signal.throwIfAborted();
      const resource = `s3://${folder.authority}`;
      const fault = toS3Fault(error, formatLocation(folder), resource);
      throw new StorageFault('AWAY', fault.message, { cause: error, resource });
    }
  }

  const identityOf = (folder: Location): FolderIdentity => ({
    device: endpoint ?? 'AWS',
    inode: folder.authority,
    path: formatLocation(folder),
  });

  return {
    stampsContent: true,
    scan,
    identify: (folder) => Promise.resolve(identityOf(folder)),
    stat: find,
    open: (file, within): Promise<OpenedFile> =>
      failing(file, async () => {
        if (!within.some((base) => isWithin(base, file))) {
          throw new StorageFault('UNFIT', `${formatLocation(file)} is in none of the folders that may be read`);
        }
        const answer = await client.send(new GetObjectCommand(objectOf(file)));
        const body = answer.Body;
        if (!(body instanceof Readable)) throw new StorageFault('AWAY', `${formatLocation(file)} has no content`);
        return {
          facts: factsOf(answer),
          content: () => body,
          // a response has the content of one version of the object
          isUnchanged: () => Promise.resolve(true),
          close: () => {
            body.destroy();
            return Promise.resolve();
          },
        };
      }),
    begin: async (target, base, token): Promise<PendingFile> => {
      if (!isWithin(base, target) || keyOf(target) === keyOf(base)) {
        throw new StorageFault('UNFIT', `${formatLocation(target)} is not below ${formatLocation(base)}`);
      }
      let filled: OpenedFile | undefined;
      return {
        fill: (file) => {
          filled = file;
          return Promise.resolve(undefined);
        },
        commit: (replaced) =>
          failing(target, async () => {
            if (filled === undefined) throw new Error('nothing to commit');
            await refuseUnlessReplaceable(target, replaced);
            return upload(target, filled, token);
          }),
        // a failed upload aborts itself
        discard: () => Promise.resolve(),
      };
    },
    committed: async (target, _, token) => {
      const found = await find(target);
      return found?.token === token ? found : undefined;
    },
    discardLeftover: (target) => failing(target, () => abortUploads(client, objectOf(target))),
    remove: (target, _, replaced) =>
      failing(target, async () => {
        await refuseUnlessReplaceable(target, replaced);
        await client.send(new DeleteObjectCommand(objectOf(target)));
      }),
    // folders are the beginnings of keys
    prune: () => Promise.resolve(),
    close: () => {
      client.destroy();
      return Promise.resolve();
    },
  };
};
