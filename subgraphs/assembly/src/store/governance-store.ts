import type { Database } from '@fds/database';
import { compileChains, type AclEntry } from '@fds/governance-rules';
import type { Source } from '../domain/source.js';

/** Sources that would be asked on behalf of a zone. */
export interface AskingZone {
  readonly sources: readonly Source[];
  readonly askingZoneUuid: string;
  readonly domainVersionUuid: string;
  /** Top-level properties of the model. */
  readonly properties: readonly string[];
}

/** What governance leaves of them. */
export interface PermittedSources {
  readonly sources: readonly Source[];
  readonly deniedCount: number;
  /** Properties the zone may not have from a source, by adaptor uuid. */
  readonly withheld: ReadonlyMap<string, readonly string[]>;
}

const entriesOf = async ({ pool }: Pick<Database, 'pool'>, zoneUuids: readonly string[]): Promise<AclEntry[]> => {
  const { rows } = await pool.query<AclEntry>({
    name: 'assembly-acl-entries',
    text: `SELECT uuid, zone_uuid AS "zoneUuid", chain, position, source_zone_uuid AS "sourceZoneUuid",
        source_adaptor_uuid AS "sourceAdaptorUuid", destination_zone_uuid AS "destinationZoneUuid",
        destination_adaptor_uuid AS "destinationAdaptorUuid", domain_version_uuid AS "domainVersionUuid",
        coalesce(properties, ARRAY[]::text[]) AS properties, get, post, put, delete, active
      FROM zone_acl WHERE active AND get IS NOT NULL AND zone_uuid = ANY($1::uuid[])`,
    values: [zoneUuids],
  });
  return rows;
};

/** Asks the chains for the action GET: the adaptor's zone is the source, the asking zone the destination. */
export const permitSources = async (
  database: Pick<Database, 'pool'>,
  asking: AskingZone,
): Promise<PermittedSources> => {
  const zones = new Set([asking.askingZoneUuid, ...asking.sources.map(({ zoneUuid }) => zoneUuid)]);
  const rules = compileChains(await entriesOf(database, [...zones]));
  const withheld = new Map<string, readonly string[]>();
  const permitted = asking.sources.filter(({ adaptorUuid, zoneUuid }) => {
    const decision = rules.decide({
      action: 'GET',
      sourceZoneUuid: zoneUuid,
      sourceAdaptorUuid: adaptorUuid,
      destinationZoneUuid: asking.askingZoneUuid,
      domainVersionUuid: asking.domainVersionUuid,
      properties: asking.properties,
    });
    withheld.set(adaptorUuid, decision.removedProperties);
    return decision.outcome === 'ALLOWED';
  });
  return { sources: permitted, deniedCount: asking.sources.length - permitted.length, withheld };
};
