/**
 * Kind of a failure of a storage.
 *
 * - AWAY: the storage, its folder, or free space is missing now; the adaptor tries again.
 * - GONE: the storage is available, but the file does not exist.
 * - CHANGED: the file changed while it was read; another attempt reads it again.
 * - DENIED: the adaptor lacks the permission.
 * - UNFIT: the file or name can never be used in this way.
 */
export type StorageFaultKind = 'AWAY' | 'GONE' | 'CHANGED' | 'DENIED' | 'UNFIT';

export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  constructor(
    readonly kind: StorageFaultKind,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options);
  }
}

const unfit = new Set(['ENAMETOOLONG', 'EISDIR', 'ENOTDIR', 'EINVAL', 'ELOOP', 'EFBIG', 'ENOTEMPTY', 'EILSEQ']);
const denied = new Set(['EACCES', 'EPERM']);

export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';

/**
 * Converts a failure of the operating system. An unknown failure, such as a full disk, a lost mount or a broken
 * connection, counts as AWAY.
 */
export const toStorageFault = (error: unknown, what: string): StorageFault => {
  if (error instanceof StorageFault) return error;
  const code = codeOf(error);
  const kind = unfit.has(code) ? 'UNFIT' : denied.has(code) ? 'DENIED' : code === 'ENOENT' ? 'GONE' : 'AWAY';
  const reason = code === '' ? (error instanceof Error ? error.message : String(error)) : code;
  return new StorageFault(kind, `${what}: ${reason}`, { cause: error });
};
