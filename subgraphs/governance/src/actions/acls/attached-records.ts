import { inTransaction, type PrismaTransaction } from '@fds/database';
import { AppError, FaultList } from '@fds/errors';
import { lockZone } from '../require-zone.js';
import { logZoneAcls, toZoneAcl, type ChainKey } from '../../store/acls/acl-rows.js';
import { findSeenRecords } from '../../store/acls/find-seen-records.js';
import { requireZoneAcl } from './require-acl.js';
import type { AclTools, Author } from './zone-acl-actions.js';

/**
 * Records to which an entry of a zone's chain is restricted. Without any, the entry is not restricted. Each change
 * counts as a change of the entry.
 */
export interface AttachedRecords {
  /**
   * Adds records that the author may see. Those that are attached already stay. A hidden record and an unknown one give
   * the same error.
   *
   * @throws AppError NOT_FOUND, UNKNOWN_REFERENCE
   */
  attach(key: ChainKey, aclUuid: string, drUuids: readonly string[], author: Author): Promise<void>;
  /** @throws AppError NOT_FOUND */
  detach(key: ChainKey, aclUuid: string, drUuid: string, author: Author): Promise<void>;
}

export const createAttachedRecords = ({ database, now }: Pick<AclTools, 'database' | 'now'>): AttachedRecords => {
  const countChange = async (
    tx: PrismaTransaction,
    key: ChainKey,
    aclUuid: string,
    actorUuid: string | undefined,
  ): Promise<void> => {
    const data = { lastUpdated: now(), changeVersion: { increment: 1 } };
    const saved = toZoneAcl(await tx.zoneAcl.update({ where: { uuid: aclUuid }, data }));
    await logZoneAcls(tx, 'PUT', key, [saved], actorUuid);
  };

  return {
    attach: (key, aclUuid, drUuids, { actorUuid, dataAccess, purpose }) =>
      inTransaction(database, async (tx) => {
        await lockZone(tx, key.zoneUuid);
        await requireZoneAcl(tx, key, aclUuid);
        const faults = new FaultList(purpose);
        const wanted = [...new Set(drUuids)];
        const known = await findSeenRecords(tx, dataAccess, wanted);
        for (const [index, drUuid] of drUuids.entries()) {
          if (!known.has(drUuid)) faults.add(`/${index}`, 'UNKNOWN_REFERENCE', `there is no data record ${drUuid}`);
        }
        faults.throwIfAny();
        const { count } = await tx.zoneAclRecord.createMany({
          data: wanted.map((recordUuid) => ({ aclUuid, recordUuid })),
          skipDuplicates: true,
        });
        if (count === 0) return;
        await countChange(tx, key, aclUuid, actorUuid);
      }),

    detach: (key, aclUuid, recordUuid, { actorUuid }) =>
      inTransaction(database, async (tx) => {
        await lockZone(tx, key.zoneUuid);
        await requireZoneAcl(tx, key, aclUuid);
        const { count } = await tx.zoneAclRecord.deleteMany({ where: { aclUuid, recordUuid } });
        if (count === 0) throw new AppError('NOT_FOUND', `the record ${recordUuid} is not attached to the entry`);
        await countChange(tx, key, aclUuid, actorUuid);
      }),
  };
};
