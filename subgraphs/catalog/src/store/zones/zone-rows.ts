import type { PrismaTransaction } from '@fds/database';
import type { Zone, ZoneSettings } from '../../domain/zones/zone.js';

type ZoneRow = Omit<Zone, 'reconcile'> & { readonly reconcile: string | null };

export const toZone = ({ reconcile, ...row }: ZoneRow): Zone => ({
  ...row,
  // in the form in which `toZoneColumns` wrote it
  reconcile: reconcile === null ? null : (JSON.parse(reconcile) as NonNullable<Zone['reconcile']>),
});

export const toZoneColumns = ({ reconcile, ...settings }: ZoneSettings) => ({
  ...settings,
  reconcile: reconcile === null ? null : JSON.stringify(reconcile),
});

/** Locks the zone's row until the transaction ends. False when there is no such zone. */
export const lockZoneRow = async (tx: PrismaTransaction, uuid: string): Promise<boolean> => {
  const rows = await tx.$queryRaw<unknown[]>`SELECT uuid FROM zone WHERE uuid = ${uuid}::uuid FOR NO KEY UPDATE`;
  return rows.length > 0;
};

/** Advisory lock of the tree: two concurrent moves could close a circle that neither of them sees. */
const treeLock = 72_707_371n;

/** Serialises changes of the tree of zones until the transaction ends. */
export const lockZoneTree = (tx: PrismaTransaction): Promise<unknown> =>
  tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(${treeLock})`;

/** The zone and all zones above it. */
export const ancestorsOf = async (tx: PrismaTransaction, zoneUuid: string): Promise<string[]> => {
  const rows = await tx.$queryRaw<{ uuid: string }[]>`
    WITH RECURSIVE up AS (
      SELECT uuid, parent_zone_uuid FROM zone WHERE uuid = ${zoneUuid}::uuid
      UNION SELECT zone.uuid, zone.parent_zone_uuid FROM zone JOIN up ON zone.uuid = up.parent_zone_uuid
    ) SELECT uuid::text AS uuid FROM up`;
  return rows.map((row) => row.uuid);
};

/** Those of the persons that exist. */
export const findPersons = async (tx: PrismaTransaction, uuids: readonly string[]): Promise<ReadonlySet<string>> => {
  const found = await tx.person.findMany({ where: { uuid: { in: [...uuids] } }, select: { uuid: true } });
  return new Set(found.map((person) => person.uuid));
};

/** Is it the root zone, whose administrators administer the deployment? */
export const isRootZone = async (tx: PrismaTransaction, zoneUuid: string): Promise<boolean> =>
  (await tx.role.count({ where: { zoneUuid, managed: true, name: 'Root Admin' } })) > 0;
