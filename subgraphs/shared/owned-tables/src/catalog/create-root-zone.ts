import { logChange, type PrismaTransaction } from '@fds/database';

/** Creates the first zone of a deployment, in the transaction that creates its users and roles. */
export const createRootZone = async (
  tx: PrismaTransaction,
  {
    uuid,
    name,
    createdByUuid,
    now,
  }: {
    readonly uuid: string;
    readonly name: string;
    readonly createdByUuid: string;
    readonly now: Date;
  },
): Promise<void> => {
  const zone = await tx.zone.create({
    data: { uuid, name, createdByUuid, dateCreated: now, lastUpdated: now },
  });
  await logChange(tx, {
    action: 'POST',
    resourceType: 'Zone',
    resource: `/zones/${uuid}`,
    resourceUuid: uuid,
    zoneUuid: uuid,
    data: { ...zone, zoneUuid: uuid },
  });
};
