import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { grantsOfPerson, holdersOf, loadGrants, loadMemberships, type HeldGrant } from '@fds/identity';
import { compileGrants, type CompiledGrants, type Endpoints } from '@fds/permissions';
import type { GivenGrant } from './given-grant.js';
import { findDataNotHeld } from './held-data.js';

/**
 * What a person may do, as the transaction sees it, with what everybody may.
 *
 * @param memberships `active`: now; `all`: now, or once the memberships that are deactivated are not any more
 */
export const grantsOfUser = async (
  tx: PrismaTransaction,
  { uuid, username }: { readonly uuid: string; readonly username: string },
  memberships: 'active' | 'all',
): Promise<HeldGrant[]> => {
  const zones = await loadMemberships(tx, uuid, memberships);
  const held = await loadGrants(
    tx,
    zones.flatMap((zone) => holdersOf(zone, username)),
  );
  const source = { type: 'USER', uuid, name: username } as const;
  return [...grantsOfPerson(uuid).map((grant) => ({ ...grant, source })), ...held];
};

const grantsOfCaller = async (tx: PrismaTransaction, { kind, uuid, username }: Principal): Promise<CompiledGrants> =>
  compileGrants(kind === 'PERSON' ? await grantsOfUser(tx, { uuid, username }, 'active') : []);

/**
 * Nobody grants what they do not hold (decisions, section 5). Call it after every fault of the input has been reported.
 *
 * @param endpoints see `CompiledGrants.coversReached`
 * @throws AppError FORBIDDEN that names everything missing
 */
export const requireHeld = async (
  tx: PrismaTransaction,
  principal: Principal,
  given: readonly GivenGrant[],
  endpoints: Endpoints,
): Promise<void> => {
  if (given.length === 0) return;
  const caller = await grantsOfCaller(tx, principal);
  const missing = given.filter(({ grant }) => !caller.coversReached(grant, endpoints));
  const heldBack = await findDataNotHeld(tx, principal, given);
  if (missing.length === 0 && heldBack.length === 0) return;
  throw new AppError('FORBIDDEN', 'you cannot give what you do not hold', {
    errors: [
      ...missing.map(({ pointer, grant: { action, resource } }) => ({
        pointer,
        code: 'NOT_HELD',
        detail: `you do not hold ${action} ${resource}`,
      })),
      ...heldBack.map(({ pointer, grant: { action, resource } }) => ({
        pointer,
        code: 'NOT_HELD',
        detail: `data access rules hold back from you data that ${action} ${resource} would give`,
      })),
    ],
  });
};
