import { logChange, type PrismaTransaction } from '@fds/database';
import type { Grant } from '@fds/permissions';
import type { IdentityWriter } from '../identity-writer.js';

/** Gives a role what it does not hold yet. */
export const grantToRole = async (
  tx: PrismaTransaction,
  role: { readonly uuid: string; readonly zoneUuid: string },
  grants: readonly Grant[],
  { actorUuid, newUuid }: IdentityWriter,
): Promise<void> => {
  const permissions = grants.map((grant) => ({
    uuid: newUuid(),
    zoneUuid: role.zoneUuid,
    holderType: 'ROLE',
    holderUuid: role.uuid,
    ...grant,
  }));
  await tx.permission.createMany({ data: permissions, skipDuplicates: true });
  await logChange(tx, {
    action: 'POST',
    resourceType: 'Permission',
    resource: `/zones/${role.zoneUuid}/permissions`,
    zoneUuid: role.zoneUuid,
    ...(actorUuid === undefined ? {} : { actorUuid }),
    data: { permissions },
  });
};
