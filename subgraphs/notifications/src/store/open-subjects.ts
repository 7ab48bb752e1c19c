import { subjectOfChange, type FeedSubject, type FeedVersion } from '@fds/change-events';
import type { Database, LoggedChange } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';

/** Finds the domain versions and adaptors of changes of data. */
export interface Subjects {
  /** Removes changed versions and adaptors from the caches. Call it before `find`. */
  heed(changes: readonly LoggedChange[]): void;
  /** Returns one subject for each change. */
  find(changes: readonly LoggedChange[]): Promise<readonly FeedSubject[]>;
}

interface VersionRow {
  readonly uuid: string;
  readonly domain_uuid: string;
  readonly zone_uuid: string;
  readonly domain_type: FeedVersion['domainType'];
  readonly model_schema: string;
  readonly dr_key_properties: string[];
}

const nothing: FeedSubject = { version: undefined, adaptorZoneUuid: undefined };

/** Most entries of a cache. A cache that exceeds it is emptied. */
const maxKept = 10_000;

const propertiesOf = (modelSchema: string): { readonly name: string }[] => {
  const schema = parseJson(modelSchema);
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? Object.keys(properties).map((name) => ({ name })) : [];
};

const toVersion = (row: VersionRow): FeedVersion => ({
  uuid: row.uuid,
  domainUuid: row.domain_uuid,
  zoneUuid: row.zone_uuid,
  domainType: row.domain_type,
  drKeyProperties: row.dr_key_properties,
  model: { properties: propertiesOf(row.model_schema) },
});

/** Caches versions and the zones of adaptors until the change log shows that they changed. */
export const openSubjects = ({ reads }: Pick<Database, 'reads'>): Subjects => {
  const versions = new Map<string, FeedVersion | undefined>();
  const zones = new Map<string, string | undefined>();

  const loadVersions = async (uuids: readonly string[]): Promise<void> => {
    const missing = uuids.filter((uuid) => !versions.has(uuid));
    if (missing.length === 0) return;
    const { rows } = await reads.query<VersionRow>(
      `SELECT v.uuid, d.uuid AS domain_uuid, d.zone_uuid, d.domain_type, v.model_schema, v.dr_key_properties
       FROM domain_version v JOIN domain d ON d.uuid = v.domain_uuid WHERE v.uuid = ANY ($1::uuid[])`,
      [missing],
    );
    for (const uuid of missing) versions.set(uuid, undefined);
    for (const row of rows) versions.set(row.uuid, toVersion(row));
  };
  const loadZones = async (uuids: readonly string[]): Promise<void> => {
    const missing = uuids.filter((uuid) => !zones.has(uuid));
    if (missing.length === 0) return;
    const { rows } = await reads.query<{ uuid: string; zone_uuid: string }>(
      'SELECT uuid, zone_uuid FROM adaptor WHERE uuid = ANY ($1::uuid[])',
      [missing],
    );
    for (const uuid of missing) zones.set(uuid, undefined);
    for (const { uuid, zone_uuid } of rows) zones.set(uuid, zone_uuid);
  };

  return {
    heed: (changes) => {
      if (versions.size > maxKept) versions.clear();
      if (zones.size > maxKept) zones.clear();
      for (const { resourceType, resourceUuid = '' } of changes) {
        if (resourceType === 'Domain') versions.clear();
        if (resourceType === 'DomainVersion') versions.delete(resourceUuid);
        if (resourceType === 'Adaptor') zones.delete(resourceUuid);
      }
    },
    find: async (changes) => {
      const named = changes.map((change) => subjectOfChange(change));
      await loadVersions([...new Set(named.flatMap((names) => names?.domainVersionUuid ?? []))]);
      await loadZones([...new Set(named.flatMap((names) => names?.adaptorUuid ?? []))]);
      return named.map((names) =>
        names === undefined
          ? nothing
          : {
              version: versions.get(names.domainVersionUuid ?? ''),
              adaptorZoneUuid: zones.get(names.adaptorUuid ?? ''),
            },
      );
    },
  };
};
