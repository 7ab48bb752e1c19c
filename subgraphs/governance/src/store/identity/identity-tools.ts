import type { Database } from '@fds/database';

/** What the stores of users, groups, roles and permissions write with. */
export interface IdentityTools {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after every commit of a change: nobody of this process is to go by what was. */
  readonly forgetHolders: () => void;
}
