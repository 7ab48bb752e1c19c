import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { toAdaptorType, withDefaultCapabilities } from './adaptor-type-rows.js';
import { logAs } from '../catalog-writer.js';

/** Adaptor types of a zone that is deleted stay, and are of no zone. Works inside the transaction that deletes it. */
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
