import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { toAdaptorType, withDefaultCapabilities } from './adaptor-type-rows.js';
import { logAs } from '../catalog-writer.js';

/** Adaptor types of a deleted zone stay, without a zone, and no type names the zone in its `secretZones`. Runs in the transaction that deletes the zone. */
export const releaseAdaptorTypes = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  lastUpdated: Date,
  principal: Principal,
): Promise<void> => {
  const types = await tx.adaptorType.findMany({
    where: { OR: [{ zoneUuid }, { secretZones: { has: zoneUuid } }] },
    select: { uuid: true, zoneUuid: true, secretZones: true },
  });
  for (const { uuid, zoneUuid: owner, secretZones } of types) {
    const row = await tx.adaptorType.update({
      where: { uuid },
      data: {
        zoneUuid: owner === zoneUuid ? null : owner,
        secretZones: secretZones.filter((zone) => zone !== zoneUuid),
        lastUpdated,
        changeVersion: { increment: 1 },
      },
      include: withDefaultCapabilities,
    });
    await logAs(tx, principal, {
      action: 'PATCH',
      resourceType: 'AdaptorType',
      resource: `/adaptor-types/${uuid}`,
      resourceUuid: uuid,
      data: toAdaptorType(row),
    });
  }
};
