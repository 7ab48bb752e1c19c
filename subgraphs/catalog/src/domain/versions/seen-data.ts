import type { Principal } from '@fds/auth';

/** What data access rules leave to a caller of the data of records. */
export type DataAccess = NonNullable<Principal['dataAccess']>;

/** The same, of the records of one version. */
export type VersionAccess = ReturnType<DataAccess['of']>;

/** A version as rules select it. */
export type DataVersion = Parameters<DataAccess['of']>[1];
