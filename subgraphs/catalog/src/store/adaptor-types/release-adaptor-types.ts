import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { toAdaptorType, withDefaultCapabilities } from './adaptor-type-rows.js';
import { logAs } from '../catalog-writer.js';

/** Adaptor types of a deleted zone stay, without a zone. Runs in the transaction that deletes the zone. */
export const releaseAdaptorTypes = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  lastUpdated: Date,
  principal: Principal,
): Promise<void> => {
  const types = await tx.adaptorType.findMany({ where: { zoneUuid }, select: { uuid: true } });
  for (const { uuid } of types) {
    const row = await tx.adaptorType.update({
      where: { uuid },
      data: { zoneUuid: null, lastUpdated, changeVersion: { increment: 1 } },
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
