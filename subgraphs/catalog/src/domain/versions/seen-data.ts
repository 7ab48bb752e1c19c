import type { Principal } from '@fds/auth';

/** The data of records that data access rules show to a caller. */
export type DataAccess = NonNullable<Principal['dataAccess']>;

/** The data that data access rules show to a caller in the records of one version. */
export type VersionAccess = ReturnType<DataAccess['of']>;

/** The data of a version by which rules select it. */
export type DataVersion = Parameters<DataAccess['of']>[1];
