import type { PrismaTransaction } from '@fds/database';
import type { Chain } from '@fds/governance-rules';
import { logZoneAcls, toZoneAcl } from './acl-rows.js';

const chains: readonly Chain[] = ['INBOUND', 'OUTBOUND'];

/**
 * Removes the chains of a zone. Runs in the transaction that deletes the zone, after its row is deleted: a transaction
 * that adds an entry locks that row. Entries of other zones that name the zone stay, but match nothing.
 */
export const removeZoneAcls = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  { actorUuid }: { readonly actorUuid?: string | undefined },
): Promise<void> => {
  for (const chain of chains) {
    const rows = await tx.zoneAcl.findMany({ where: { zoneUuid, chain }, orderBy: { position: 'asc' } });
    await tx.zoneAcl.deleteMany({ where: { zoneUuid, chain } });
    const subjects = [zoneUuid, ...rows.map(({ uuid }) => uuid)];
    await tx.aclMetric.deleteMany({ where: { chain, subjectUuid: { in: subjects } } });
    await logZoneAcls(tx, 'DELETE', { zoneUuid, chain }, rows.map(toZoneAcl), actorUuid);
  }
};
