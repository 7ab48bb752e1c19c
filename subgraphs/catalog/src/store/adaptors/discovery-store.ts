import type { DiscoveredReport, DiscoveredVersion } from '@fds/adaptor-protocol';
import { inTransaction, logChange, type Database, type PrismaTransaction } from '@fds/database';
import { domainNameKey } from '../../domain/domains/domain.js';
import { takeMessage } from '../operations/taken-messages.js';
import { adaptorResource, lockAdaptor } from './adaptor-rows.js';

/** A complete scan of a version in discovery mode. */
export interface Discovery {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly complete: true;
  readonly records: number;
  readonly dateCompleted: Date;
}

export interface DiscoveryStore {
  /**
   * Notes that the scan of a version is complete. A later report replaces it, because an adaptor that lost its state scans again.
   * Ignores adaptors and versions that do not exist, and messages that another process handles.
   */
  note(
    adaptorUuid: string,
    report: DiscoveredReport,
    heard: { readonly messageId: string; readonly now: Date },
  ): Promise<void>;
  /** Those of adaptors, by version. */
  list(adaptorUuids: readonly string[]): Promise<readonly Discovery[]>;
  /** The versions of an adaptor's discoveries, by name. */
  listVersions(adaptorUuid: string): Promise<readonly DiscoveredVersion[]>;
}

/** The discoveries of adaptors, by version. */
export const listDiscoveries = async (
  { adaptorDiscovery }: Pick<PrismaTransaction, 'adaptorDiscovery'>,
  adaptorUuids: readonly string[],
): Promise<readonly Discovery[]> => {
  const rows = await adaptorDiscovery.findMany({
    where: { adaptorUuid: { in: [...adaptorUuids] } },
    orderBy: { domainVersionUuid: 'asc' },
  });
  return rows.map(({ adaptorUuid, domainVersionUuid, records, completedAt: dateCompleted }) => ({
    adaptorUuid,
    domainVersionUuid,
    complete: true,
    records: Number(records),
    dateCompleted,
  }));
};

export const createDiscoveryStore = (database: Database): DiscoveryStore => {
  const { prisma } = database;
  return {
    note: (adaptorUuid, { domain, version: versionNumber, records }, { messageId, now: completedAt }) =>
      inTransaction(database, async (tx) => {
        await lockAdaptor(tx, adaptorUuid);
        if (!(await takeMessage(tx, adaptorUuid, messageId))) return;
        const adaptor = await tx.adaptor.findUnique({ where: { uuid: adaptorUuid } });
        const version = await tx.domainVersion.findFirst({
          where: { versionNumber, domain: { nameKey: domainNameKey(domain) } },
          select: { uuid: true },
        });
        if (adaptor === null || version === null) return;
        const { uuid: domainVersionUuid } = version;
        const found = { records: BigInt(records), completedAt };
        await tx.adaptorDiscovery.upsert({
          where: { adaptorUuid_domainVersionUuid: { adaptorUuid, domainVersionUuid } },
          create: { adaptorUuid, domainVersionUuid, ...found },
          update: found,
        });
        const { uuid, zoneUuid, name, state, stateMessage } = adaptor;
        const discovery = { domainVersionUuid, complete: true, records, dateCompleted: completedAt.getTime() };
        await logChange(tx, {
          action: 'PATCH',
          resourceType: 'AdaptorState',
          resource: adaptorResource(adaptor),
          resourceUuid: uuid,
          zoneUuid,
          actorUuid: adaptorUuid,
          data: { uuid, zoneUuid, name, previousState: state, state, stateMessage, discovery },
        });
      }),
    list: (adaptorUuids) => listDiscoveries(prisma, adaptorUuids),
    listVersions: async (adaptorUuid) => {
      const rows = await prisma.adaptorDiscovery.findMany({
        where: { adaptorUuid },
        select: { domainVersion: { select: { versionNumber: true, domain: { select: { name: true } } } } },
      });
      return rows.map(({ domainVersion: { versionNumber, domain } }) => ({
        domain: domain.name,
        version: versionNumber,
      }));
    },
  };
};
