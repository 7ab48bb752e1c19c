import type { Principal } from '@fds/auth';
import { weakPasswordFault } from '@fds/identity';
import { FaultList } from '@fds/errors';
import { readPassword } from '../../../domain/identity/read-person.js';
import type { UserInput, UserKey } from '../../../domain/identity/user.js';
import type { IdentityTools } from '../identity-tools.js';

/** A new secret and its hash. */
interface PreparedSecret {
  readonly secret: string;
  readonly secretHash: string;
}

/** Checks and hashes the passwords of users, before the transaction that stores them. */
export interface Passwords {
  /** The weakness of the password of an input, found with the names that the input or the user has. */
  weaknessOf(input: UserInput, key?: UserKey): Promise<string | undefined>;
  /** The password of an input, if it will be accepted. */
  accepted(input: UserInput, weakness: string | undefined): string | undefined;
  /**
   * Hashes before the transaction, because a transaction must not wait for the queue. Undefined when there is nothing
   * to hash, or it is refused.
   */
  prepare(secret: string | undefined, principal: Principal, faults: FaultList): Promise<PreparedSecret | undefined>;
}

export const createPasswords = ({ database: { prisma }, hashSecret }: IdentityTools): Passwords => ({
  weaknessOf: async ({ password, username, name }, key) => {
    if (typeof password !== 'string') return undefined;
    const where = { uuid: key?.zoneUserUuid ?? '', zoneUuid: key?.zoneUuid ?? '' };
    const select = { person: { select: { username: true, name: true } } };
    const known = key === undefined ? null : await prisma.zoneUser.findFirst({ where, select });
    const words = [username, name, known?.person.username, known?.person.name];
    return weakPasswordFault(
      password,
      words.flatMap((word) => word ?? []),
    );
  },
  accepted: (input, weakness) => {
    const faults = new FaultList();
    const password = readPassword(input, weakness, faults);
    return faults.isEmpty ? password : undefined;
  },
  prepare: async (secret, principal, { isCheck }) =>
    secret === undefined || isCheck ? undefined : { secret, secretHash: await hashSecret(secret, principal) },
});
