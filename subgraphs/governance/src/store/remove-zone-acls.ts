import { logChange, type PrismaTransaction } from '@fds/database';
import type { Chain } from '@fds/governance-rules';
import { aclPath, chainNames } from '../domain/chain.js';

const chains: readonly Chain[] = ['INBOUND', 'OUTBOUND'];

/**
 * Removes the chains of a zone. Works inside the transaction that deletes the zone, after its row is deleted: whoever adds
 * an entry locks that row. Entries of other zones that name the zone stay; they match nothing any more.
 */
export const removeZoneAcls = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  { actorUuid }: { readonly actorUuid?: string | undefined },
): Promise<void> => {
  for (const chain of chains) {
    const entries = await tx.zoneAcl.findMany({ where: { zoneUuid, chain }, orderBy: { position: 'asc' } });
    await tx.zoneAcl.deleteMany({ where: { zoneUuid, chain } });
    for (const { chain: _chain, ...acl } of entries) {
      await logChange(tx, {
        action: 'DELETE',
        resourceType: chainNames[chain].resourceType,
        resource: aclPath(chain, zoneUuid, acl.uuid),
        resourceUuid: acl.uuid,
        zoneUuid,
        ...(actorUuid === undefined ? {} : { actorUuid }),
        data: { ...acl, dateCreated: acl.dateCreated.getTime(), lastUpdated: acl.lastUpdated.getTime() },
      });
    }
  }
};
