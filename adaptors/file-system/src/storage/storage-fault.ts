/**
 * Why a storage does not do something.
 *
 * - AWAY: the storage, its folder, or room in it is missing now; it is waited for.
 * - GONE: the storage is there, the file is not.
 * - CHANGED: the file changed while it was read; another attempt reads it again.
 * - DENIED: permissions keep the adaptor away.
 * - UNFIT: the file or name can never be used so.
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

/** A failure of the operating system. An unknown failure counts as AWAY: full disks, lost mounts, broken connections. */
export const toStorageFault = (error: unknown, what: string): StorageFault => {
  if (error instanceof StorageFault) return error;
  const code = codeOf(error);
  const kind = unfit.has(code) ? 'UNFIT' : denied.has(code) ? 'DENIED' : code === 'ENOENT' ? 'GONE' : 'AWAY';
  const reason = code === '' ? (error instanceof Error ? error.message : String(error)) : code;
  return new StorageFault(kind, `${what}: ${reason}`, { cause: error });
};
