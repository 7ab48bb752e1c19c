import type { Principal } from '@fds/auth';
import type { Database } from '@fds/database';
import type { Endpoints } from '@fds/permissions';

/** What the stores of users, groups, roles and permissions write with. */
export interface IdentityTools {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after every commit of a change: nobody of this process is to go by what was. */
  readonly forgetHolders: () => void;
  /** The endpoints of the API: the author of a pattern holds those that it reaches. */
  readonly endpoints: Endpoints;
  /** An external provider signs people in: an SSO id names the person who signs in there with it. */
  readonly hasProvider: boolean;
  /** Hashes a secret in the turn of the caller. Not to be awaited in a transaction. @throws AppError RATE_LIMITED */
  readonly hashSecret: (secret: string, caller: Principal) => Promise<string>;
}
