import type { PrismaTransaction } from '@fds/database';
import type { Grant } from '@fds/access-rules';
import { logIdentities } from '../change-log/log-identities.js';
import { toLoggedPermission } from '../change-log/to-logged-permission.js';
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
  const given = await tx.permission.createManyAndReturn({ data: permissions, skipDuplicates: true });
  await logIdentities(tx, { uuid: actorUuid }, 'POST', 'Permission', given.map(toLoggedPermission));
};
