import type { Principal } from '@fds/auth';
import type { Database, PrismaTransaction } from '@fds/database';
import type { Endpoints } from '@fds/access-rules';

/** Port: removes the data about a person that another subgraph stores. Called in the transaction that removes the person. */
export type ForgetPerson = (
  tx: PrismaTransaction,
  personUuid: string,
  writer: { readonly actorUuid?: string | undefined },
) => Promise<void>;

/** Tools of the actions on users, groups, roles and permissions. */
export interface IdentityTools {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after every commit of a change, because this process must not use cached values. */
  readonly forgetHolders: () => void;
  readonly forgetPerson: readonly ForgetPerson[];
  /** The endpoints of the API. The author of a pattern has those that it matches. */
  readonly endpoints: Endpoints;
  /** Whether an external provider signs people in. Then an SSO id identifies the person who signs in there with it. */
  readonly hasProvider: boolean;
  /** Hashes a secret in the queue of the caller. Do not await it in a transaction. @throws AppError RATE_LIMITED */
  readonly hashSecret: (secret: string, caller: Principal) => Promise<string>;
}
