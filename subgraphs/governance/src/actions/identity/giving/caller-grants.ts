import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import {
  grantsOfPerson,
  holdersOf,
  loadGrants,
  loadMemberships,
  type SourcedGrant,
  type MembershipSelection,
  loadDataOfPerson,
  loadRulesOfRoles,
  rulesAllowMore,
} from '@fds/identity';
import {
  compileGrants,
  type CompiledGrants,
  type Endpoints,
  rulesOfPermissions,
  type AccessRule,
} from '@fds/access-rules';
import type { GivenGrant } from './given-grant.js';

const isRestrictedByRules = ({ kind, dataAccess }: Principal): boolean => kind === 'PERSON' && dataAccess !== undefined;

const ofData = /^\/?(?:api\/)?(?:drs|\?|\*)(?:\/|$)/;

/** The rules that restrict the data of a grant: those of its role, if the role has any. */
const rulesOfGrant = async (tx: PrismaTransaction, { grant }: GivenGrant): Promise<readonly AccessRule[]> => {
  const { source } = grant;
  const ruled = source?.type === 'ROLE' ? (await loadRulesOfRoles(tx, [source.uuid])).get(source.uuid) : undefined;
  return ruled ?? rulesOfPermissions([grant], compileGrants([grant]));
};

/** The part of the new data access that the rules of the caller deny. */
const findDataNotGranted = async (
  tx: PrismaTransaction,
  principal: Principal,
  given: readonly GivenGrant[],
): Promise<GivenGrant[]> => {
  const data = isRestrictedByRules(principal) ? given.filter(({ grant }) => ofData.test(grant.resource)) : [];
  if (data.length === 0) return [];
  const own = await loadDataOfPerson(tx, principal.uuid);
  const missing: GivenGrant[] = [];
  for (const each of data) if (await rulesAllowMore(tx, [await rulesOfGrant(tx, each)], own)) missing.push(each);
  return missing;
};

/** The grants that a person has by these memberships in the transaction's view, together with the grants of every person. */
export const grantsOfUser = async (
  tx: PrismaTransaction,
  { uuid, username }: { readonly uuid: string; readonly username: string },
  memberships: MembershipSelection,
): Promise<SourcedGrant[]> => {
  const zones = await loadMemberships(tx, uuid, memberships);
  const granted = await loadGrants(
    tx,
    zones.flatMap((zone) => holdersOf(zone, username)),
  );
  const source = { type: 'USER', uuid, name: username } as const;
  return [...grantsOfPerson(uuid).map((grant) => ({ ...grant, source })), ...granted];
};

/** The memberships that count for the way in which the caller signed in. */
export const selectionOf = async (tx: PrismaTransaction, { uuid, zones }: Principal): Promise<MembershipSelection> => {
  const counting = new Set(zones.map(({ zoneUserUuid }) => zoneUserUuid));
  const memberships = await loadMemberships(tx, uuid, 'at-provider');
  return memberships.every(({ zoneUserUuid }) => counting.has(zoneUserUuid)) ? 'at-provider' : 'always';
};

const grantsOfCaller = async (tx: PrismaTransaction, principal: Principal): Promise<CompiledGrants> =>
  compileGrants(principal.kind === 'PERSON' ? await grantsOfUser(tx, principal, await selectionOf(tx, principal)) : []);

/**
 * A caller grants only permissions that the caller holds (docs/reference/access.md#permissions). Call it after all
 * faults of the input are reported.
 *
 * @param endpoints see `CompiledGrants.coversReached`
 * @throws AppError FORBIDDEN that names all missing permissions
 */
export const requireGranted = async (
  tx: PrismaTransaction,
  principal: Principal,
  given: readonly GivenGrant[],
  endpoints: Endpoints,
): Promise<void> => {
  if (given.length === 0) return;
  const caller = await grantsOfCaller(tx, principal);
  const missing = given.filter(({ grant }) => !caller.coversReached(grant, endpoints));
  const missingData = await findDataNotGranted(tx, principal, given);
  if (missing.length === 0 && missingData.length === 0) return;
  throw new AppError('FORBIDDEN', 'you cannot give what you do not hold', {
    errors: [
      ...missing.map(({ pointer, grant: { action, resource } }) => ({
        pointer,
        code: 'NOT_HELD',
        detail: `you do not hold ${action} ${resource}`,
      })),
      ...missingData.map(({ pointer, grant: { action, resource } }) => ({
        pointer,
        code: 'NOT_HELD',
        detail: `data access rules hide data from you that ${action} ${resource} would give`,
      })),
    ],
  });
};
