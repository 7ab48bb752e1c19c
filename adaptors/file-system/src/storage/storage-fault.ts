/**
 * Kind of a failure of a storage.
 *
 * - AWAY: the storage, its folder, a right, or free space is missing now; the adaptor tries again.
 * - GONE: the storage is available, but the file does not exist.
 * - CHANGED: the file changed while it was read; another attempt reads it again.
 * - DENIED: the adaptor lacks the permission for this file.
 * - FOREIGN: the target has content that the adaptor did not write. It stays.
 * - BLOCKED: another file or folder takes the place. It may go: its deletion may be on its way.
 * - UNFIT: the file or name can never be used in this way.
 */
export type StorageFaultKind = 'AWAY' | 'GONE' | 'CHANGED' | 'DENIED' | 'FOREIGN' | 'BLOCKED' | 'UNFIT';

export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  /** URI of the folder that is missing, for AWAY. All files that need it wait for it. */
  readonly resource: string | undefined;

  constructor(
    readonly kind: StorageFaultKind,
    message: string,
    options: { readonly cause?: unknown; readonly resource?: string } = {},
  ) {
    super(message, { cause: options.cause });
    this.resource = options.resource;
  }
}

/** Kinds of the failures of the operating system. Every other one is AWAY. */
const kinds: Readonly<Record<string, StorageFaultKind>> = {
  ENAMETOOLONG: 'UNFIT',
  EINVAL: 'UNFIT',
  ELOOP: 'UNFIT',
  EFBIG: 'UNFIT',
  EILSEQ: 'UNFIT',
  EISDIR: 'BLOCKED',
  ENOTDIR: 'BLOCKED',
  ENOTEMPTY: 'BLOCKED',
  EACCES: 'DENIED',
  EPERM: 'DENIED',
  ENOENT: 'GONE',
};

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'the adaptor has no permission',
  EPERM: 'the system does not permit it',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the name is too long for this file system',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EILSEQ: 'this file system cannot hold the name',
  EFBIG: 'the file is too large for this file system',
  ELOOP: 'the path has too many symbolic links',
};

/** A reason in plain words, followed by the code of the operating system. */
export const reasonOf = (error: unknown): string => {
  const code = codeOf(error);
  const reason = reasons[code];
  if (reason !== undefined) return `${reason} (${code})`;
  if (code !== '') return code;
  return error instanceof Error ? error.message : String(error);
};

export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';

/**
 * Converts a failure of the operating system. An unknown failure, such as a full disk, a lost mount or a broken
 * connection, counts as AWAY.
 *
 * @param resource the folder to wait for when the failure counts as AWAY
 */
export const toStorageFault = (error: unknown, what: string, resource: string): StorageFault => {
  if (error instanceof StorageFault) return error;
  return new StorageFault(kinds[codeOf(error)] ?? 'AWAY', `${what}: ${reasonOf(error)}`, { cause: error, resource });
};
