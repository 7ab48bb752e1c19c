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

/**
 * Converts a failure of the object storage. An unknown failure, such as a broken connection or an overload, counts as
 * AWAY.
 *
 * @param resource the bucket to wait for when the failure counts as AWAY
 */
export const toS3Fault = (error: unknown, what: string, resource: string): StorageFault => {
  if (error instanceof StorageFault) return error;
  const name = error instanceof Error ? error.name : '';
  const reason = error instanceof Error ? `${name}: ${error.message}` : String(error);
  return new StorageFault(kinds[name] ?? 'AWAY', `${what}: ${reason}`, { cause: error, resource });
};
