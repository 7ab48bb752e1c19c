import type { Principal } from '@fds/auth';
import type { Database, PrismaTransaction } from '@fds/database';
import type { Endpoints } from '@fds/permissions';

/**
 * Port: removes the data about a person that another part of the product keeps. Called in the transaction that removes
 * the person.
 */
export type ForgetPerson = (
  tx: PrismaTransaction,
  personUuid: string,
  writer: { readonly actorUuid?: string | undefined },
) => Promise<void>;

/** Tools of the stores of users, groups, roles and permissions. */
export interface IdentityTools {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after every commit of a change: this process must not use the values that it remembers. */
  readonly forgetHolders: () => void;
  readonly forgetPerson: readonly ForgetPerson[];
  /** The endpoints of the API: the author of a pattern holds those that it reaches. */
  readonly endpoints: Endpoints;
  /** An external provider signs people in: an SSO id names the person who signs in there with it. */
  readonly hasProvider: boolean;
  /** Hashes a secret in the turn of the caller. Not to be awaited in a transaction. @throws AppError RATE_LIMITED */
  readonly hashSecret: (secret: string, caller: Principal) => Promise<string>;
}
