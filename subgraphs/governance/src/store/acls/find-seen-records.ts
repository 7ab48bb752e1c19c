import type { DataAccess, DataVersion } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';

interface ModelOfVersion {
  readonly uuid: string;
  readonly modelSchema: string;
  readonly domain: { readonly uuid: string; readonly zoneUuid: string; readonly domainType: string };
}

interface SeenVersion {
  readonly version: DataVersion;
  readonly isFederated: boolean;
}

const propertyNames = (modelSchema: string): string[] => {
  const schema = parseJson(modelSchema);
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
};

const toSeenVersion = ({ uuid, modelSchema, domain }: ModelOfVersion): SeenVersion => ({
  version: {
    uuid,
    domainUuid: domain.uuid,
    zoneUuid: domain.zoneUuid,
    model: { properties: propertyNames(modelSchema).map((name) => ({ name })) },
  },
  isFederated: domain.domainType === 'FEDERATED',
});

const loadVersions = async (
  tx: PrismaTransaction,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, SeenVersion>> => {
  const rows = await tx.domainVersion.findMany({
    where: { uuid: { in: [...uuids] } },
    select: { uuid: true, modelSchema: true, domain: { select: { uuid: true, zoneUuid: true, domainType: true } } },
  });
  return new Map(rows.map((row) => [row.uuid, toSeenVersion(row)]));
};

/** The zones of the existing adaptors. */
const loadZones = async (tx: PrismaTransaction, adaptorUuids: readonly string[]) => {
  const rows = await tx.adaptor.findMany({
    where: { uuid: { in: [...new Set(adaptorUuids)] } },
    select: { uuid: true, zoneUuid: true },
  });
  return new Map(rows.map(({ uuid, zoneUuid }) => [uuid, zoneUuid]));
};

/**
 * The records whose existence the caller may know. They are the records of a listing: data-store records by the data of
 * the server, and federated records by their links, or without a link by the data of the server.
 *
 * @param dataAccess rules of the caller; undefined when all records are visible
 */
export const findSeenRecords = async (
  tx: PrismaTransaction,
  dataAccess: DataAccess | undefined,
  drUuids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const records = await tx.dataRecord.findMany({
    where: { uuid: { in: [...drUuids] } },
    select: { uuid: true, domainVersionUuid: true, links: { select: { adaptorUuid: true } } },
  });
  if (dataAccess === undefined) return new Set(records.map(({ uuid }) => uuid));
  const versions = await loadVersions(tx, [...new Set(records.map(({ domainVersionUuid }) => domainVersionUuid))]);
  const zones = await loadZones(
    tx,
    records.flatMap(({ links }) => links.map(({ adaptorUuid }) => adaptorUuid)),
  );
  const isSeen = ({ uuid, domainVersionUuid, links }: (typeof records)[number]): boolean => {
    const seen = versions.get(domainVersionUuid);
    if (seen === undefined) return false;
    const access = dataAccess.of('GET', seen.version);
    if (!seen.isFederated || links.length === 0) return access.own.of(uuid).extent !== 'NONE';
    return links.some(({ adaptorUuid }) => {
      const zoneUuid = zones.get(adaptorUuid);
      return zoneUuid !== undefined && access.at({ adaptorUuid, zoneUuid }).of(uuid).extent !== 'NONE';
    });
  };
  return new Set(records.filter(isSeen).map(({ uuid }) => uuid));
};
