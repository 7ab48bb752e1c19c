import type { Principal } from '@fds/auth';
import { rulesOfPermissions, type AccessRule } from '@fds/data-access';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import {
  keepingOwnData,
  listsOfRoles,
  loadGrants,
  loadHeldData,
  loadRulesOfRoles,
  rulesAllowMore,
  type HeldGrant,
  type RuleLists,
} from '@fds/identity';
import { compileGrants } from '@fds/permissions';
import type { GivenGrant } from './given-grant.js';

const isHeldByRules = ({ kind, dataAccess }: Principal): boolean => kind === 'PERSON' && dataAccess !== undefined;

/** Those whom no rules hold pay nothing. @throws AppError FORBIDDEN, see `keepingOwnData` of `@fds/identity` */
export const keepingDataOf = <T>(tx: PrismaTransaction, principal: Principal, work: () => Promise<T>): Promise<T> =>
  isHeldByRules(principal) ? keepingOwnData(tx, principal.uuid, work) : work();

const ofData = /^\/?(?:api\/)?(?:drs|\?|\*)(?:\/|$)/;

/** The rules by which a grant gives data: those of the role it is of, if it has any. */
const rulesOfGrant = async (tx: PrismaTransaction, { grant }: GivenGrant): Promise<readonly AccessRule[]> => {
  const { source } = grant as Partial<HeldGrant>;
  const ruled = source?.type === 'ROLE' ? (await loadRulesOfRoles(tx, [source.uuid])).get(source.uuid) : undefined;
  return ruled ?? rulesOfPermissions([grant], compileGrants([grant]));
};

/** Of what would be given, the data that rules hold back from the caller. */
export const findDataNotHeld = async (
  tx: PrismaTransaction,
  principal: Principal,
  given: readonly GivenGrant[],
): Promise<GivenGrant[]> => {
  const data = isHeldByRules(principal) ? given.filter(({ grant }) => ofData.test(grant.resource)) : [];
  if (data.length === 0) return [];
  const { lists: own } = await loadHeldData(tx, principal.uuid);
  const missing: GivenGrant[] = [];
  for (const each of data) if (await rulesAllowMore(tx, [await rulesOfGrant(tx, each)], own)) missing.push(each);
  return missing;
};

/** What a role allows of data, as it stands. */
export const dataOfRole = async (tx: PrismaTransaction, roleUuid: string): Promise<RuleLists> => {
  const grants = await loadGrants(tx, [{ uuid: roleUuid, name: '' }]);
  return listsOfRoles([roleUuid], await loadRulesOfRoles(tx, [roleUuid]), grants);
};

/**
 * Nobody gives by rules what they do not hold. More data than a role allowed before is given by who has it, by who administers
 * the roles of every zone, and that of a zone by who administers the roles of it.
 *
 * @param before of the role, see `dataOfRole`
 * @throws AppError FORBIDDEN
 */
export const requireGivable = async (
  tx: PrismaTransaction,
  principal: Principal,
  { zoneUuid, roleUuid }: { readonly zoneUuid: string; readonly roleUuid: string },
  before: RuleLists,
): Promise<void> => {
  if (principal.permits('PUT', '/zones/?/roles/?/data-access-rules')) return;
  const ofZone: AccessRule = {
    effect: 'ALLOW',
    actions: null,
    zoneUuid,
    adaptorUuid: null,
    domainUuid: null,
    domainVersionUuid: null,
    properties: null,
    drUuids: null,
  };
  const { lists: own } = await loadHeldData(tx, principal.uuid);
  const held = [...before, ...own, [ofZone]];
  if (!(await rulesAllowMore(tx, await dataOfRole(tx, roleUuid), held))) return;
  throw new AppError('FORBIDDEN', 'you cannot give what you do not hold', {
    errors: [{ pointer: '', code: 'NOT_HELD', detail: 'the role would allow data that neither it nor you have had' }],
  });
};
