import { StorageFault, type StorageFaultKind } from '../storage-fault.js';

const kinds: Readonly<Record<string, StorageFaultKind>> = {
  NoSuchKey: 'GONE',
  NotFound: 'GONE',
  NoSuchBucket: 'AWAY',
  AccessDenied: 'DENIED',
  Forbidden: 'DENIED',
  InvalidAccessKeyId: 'DENIED',
  SignatureDoesNotMatch: 'DENIED',
  KeyTooLongError: 'UNFIT',
  EntityTooLarge: 'UNFIT',
  InvalidObjectState: 'UNFIT',
};

/** A failure of the object storage. An unknown failure counts as AWAY: broken connections, overload. */
export const toS3Fault = (error: unknown, what: string): StorageFault => {
  if (error instanceof StorageFault) return error;
  const name = error instanceof Error ? error.name : '';
  const reason = error instanceof Error ? `${name}: ${error.message}` : String(error);
  return new StorageFault(kinds[name] ?? 'AWAY', `${what}: ${reason}`, { cause: error });
};
