import type { PrismaTransaction } from '@fds/database';
import { grantToRole } from './grant-to-role.js';
import type { IdentityWriter } from '../identity-writer.js';
import { managedRoleNames } from '../managed-roles.js';

/** Gives the data stewards of the owning zone everything on a domain that has just been created, versions included. */
export const grantDomain = async (
  tx: PrismaTransaction,
  { zoneUuid, domainUuid }: { readonly zoneUuid: string; readonly domainUuid: string },
  writer: IdentityWriter,
): Promise<void> => {
  const role = await tx.role.findFirst({
    where: { zoneUuid, name: managedRoleNames.zoneDataSteward, managed: true },
    select: { uuid: true, zoneUuid: true },
  });
  if (role !== null) await grantToRole(tx, role, [{ action: 'ALL', resource: `/domains/${domainUuid}/*` }], writer);
};
