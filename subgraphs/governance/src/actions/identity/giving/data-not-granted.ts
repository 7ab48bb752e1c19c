import type { Principal } from '@fds/auth';
import { rulesOfPermissions, type AccessRule, compileGrants } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import { loadDataOfPerson, loadRulesOfRoles, rulesAllowMore } from '@fds/identity';
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
export const findDataNotGranted = async (
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
