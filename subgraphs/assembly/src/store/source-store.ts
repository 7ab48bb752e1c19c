import type { Tier } from '@fds/assembly-contract';
import type { Database } from '@fds/database';
import type { CapableAdaptor } from '../domain/choose-sources.js';
import type { AssembledVersion } from './version-store.js';

interface SourceRow {
  readonly uuid: string;
  readonly name: string;
  readonly zone_uuid: string;
  readonly zone_name: string;
  readonly preferred: Tier | null;
}

/**
 * Active adaptors whose effective capabilities (their own, otherwise their type's) include GET for the version, with
 * the preferences of the asking zone.
 */
export const capableAdaptors = async (
  { reads }: Pick<Database, 'reads'>,
  version: Pick<AssembledVersion, 'domainName' | 'versionNumber' | 'domainVersionUuid'>,
  askingZoneUuid: string,
): Promise<CapableAdaptor[]> => {
  const { rows } = await reads.query<SourceRow>({
    name: 'assembly-capable-adaptors',
    text: `SELECT a.uuid, a.name, a.zone_uuid, z.name AS zone_name, p.preference_type AS preferred
      FROM adaptor a JOIN zone z ON z.uuid = a.zone_uuid
        LEFT JOIN adaptor_preference p
          ON p.adaptor_uuid = a.uuid AND p.domain_version_uuid = $3 AND p.zone_uuid = $4
      WHERE a.active AND CASE WHEN a.inherits_capabilities
        THEN EXISTS (SELECT FROM adaptor_type_capability c WHERE c.adaptor_type_uuid = a.adaptor_type_uuid
                     AND c.action = 'GET' AND lower(c.domain_name) = lower($1) AND c.version_number = $2)
        ELSE EXISTS (SELECT FROM adaptor_capability c WHERE c.adaptor_uuid = a.uuid
                     AND c.action = 'GET' AND lower(c.domain_name) = lower($1) AND c.version_number = $2) END
      ORDER BY a.name, a.uuid`,
    values: [version.domainName, version.versionNumber, version.domainVersionUuid, askingZoneUuid],
  });
  return rows.map((row) => ({
    adaptorUuid: row.uuid,
    name: row.name,
    zoneUuid: row.zone_uuid,
    zoneName: row.zone_name,
    preferredTier: row.preferred ?? 'BRONZE',
  }));
};

/** The zones of active adaptors. An adaptor that is deleted or does not exist has no zone. */
export const zonesOfAdaptors = async (
  { reads }: Pick<Database, 'reads'>,
  adaptorUuids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await reads.query<{ uuid: string; zone_uuid: string }>({
    name: 'assembly-zones-of-adaptors',
    text: 'SELECT uuid, zone_uuid FROM adaptor WHERE active AND uuid = ANY($1::uuid[])',
    values: [adaptorUuids],
  });
  return new Map(rows.map((row) => [row.uuid, row.zone_uuid]));
};
