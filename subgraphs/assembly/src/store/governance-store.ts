import type { Database } from '@fds/database';
import { compileChains, type AclEntry } from '@fds/governance-rules';
import type { Source } from '../domain/source.js';
import type { GovernedRecords } from '../domain/visibility.js';

/** Sources that would be asked on behalf of a zone. */
export interface AskingZone {
  readonly sources: readonly Source[];
  readonly askingZoneUuid: string;
  readonly domainVersionUuid: string;
  /** Top-level properties of the model. */
  readonly properties: readonly string[];
}

export interface GovernedSources extends GovernedRecords {
  /** May the asking zone have anything of any record from the source? */
  permitsAnything(source: Source): boolean;
}

const entriesOf = async ({ reads }: Pick<Database, 'reads'>, zoneUuids: readonly string[]): Promise<AclEntry[]> => {
  const { rows } = await reads.query<AclEntry>({
    name: 'assembly-acl-entries',
    text: `SELECT uuid, zone_uuid AS "zoneUuid", chain, position, source_zone_uuid AS "sourceZoneUuid",
        source_adaptor_uuid AS "sourceAdaptorUuid", destination_zone_uuid AS "destinationZoneUuid",
        destination_adaptor_uuid AS "destinationAdaptorUuid", domain_version_uuid AS "domainVersionUuid",
        coalesce(properties, ARRAY[]::text[]) AS properties, get, post, put, delete, active,
        ARRAY(SELECT record_uuid FROM zone_acl_record r WHERE r.acl_uuid = zone_acl.uuid) AS "drUuids"
      FROM zone_acl WHERE active AND get IS NOT NULL AND zone_uuid = ANY($1::uuid[])`,
    values: [zoneUuids],
  });
  return rows;
};

/** Asks the chains for the action GET: the adaptor's zone is the source, the asking zone the destination. */
export const governSources = async (
  database: Pick<Database, 'reads'>,
  asking: AskingZone,
): Promise<GovernedSources> => {
  const zones = new Set([asking.askingZoneUuid, ...asking.sources.map(({ zoneUuid }) => zoneUuid)]);
  const entries = await entriesOf(database, [...zones]);
  const rules = compileChains(entries);
  /** Records that some entry speaks of by uuid; the others are all alike. */
  const named = new Set(entries.flatMap(({ drUuids }) => drUuids ?? []));
  const decide = ({ adaptorUuid, zoneUuid }: Source, drUuid?: string) =>
    rules.decide({
      action: 'GET',
      sourceZoneUuid: zoneUuid,
      sourceAdaptorUuid: adaptorUuid,
      destinationZoneUuid: asking.askingZoneUuid,
      domainVersionUuid: asking.domainVersionUuid,
      properties: asking.properties,
      drUuid,
    });
  const ofUnnamed = new Map(asking.sources.map((source) => [source, decide(source)]));
  const decisionOf = (source: Source, recordUuid: string) =>
    named.has(recordUuid) ? decide(source, recordUuid) : ofUnnamed.get(source);
  return {
    permits: (source, recordUuid) => decisionOf(source, recordUuid)?.outcome === 'ALLOWED',
    withheld: (source, recordUuid) => decisionOf(source, recordUuid)?.removedProperties ?? [],
    permitsAnything: (source) => [undefined, ...named].some((drUuid) => decide(source, drUuid).outcome === 'ALLOWED'),
  };
};
