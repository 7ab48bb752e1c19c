import { subjectOfChange, type ChangeEvent, type ChangeSubject, type SubjectVersion } from '@fds/change-events';
import type { Database } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';

interface VersionRow {
  readonly uuid: string;
  readonly domain_uuid: string;
  readonly zone_uuid: string;
  readonly domain_type: SubjectVersion['domainType'];
  readonly model_schema: string;
}

const propertiesOf = (modelSchema: string): { readonly name: string }[] => {
  const schema = parseJson(modelSchema);
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? Object.keys(properties).map((name) => ({ name })) : [];
};

const given = (uuids: Iterable<string | undefined>): string[] => [
  ...new Set([...uuids].filter((uuid) => uuid !== undefined)),
];

const loadVersions = async ({ reads }: Database, uuids: readonly string[]) => {
  if (uuids.length === 0) return new Map<string, SubjectVersion>();
  const { rows } = await reads.query<VersionRow>({
    name: 'notifications-subject-versions',
    text: `SELECT v.uuid, v.domain_uuid, d.zone_uuid, d.domain_type, v.model_schema
           FROM domain_version v JOIN domain d ON d.uuid = v.domain_uuid WHERE v.uuid = ANY ($1::uuid[])`,
    values: [uuids],
  });
  return new Map(
    rows.map((row): [string, SubjectVersion] => [
      row.uuid,
      {
        uuid: row.uuid,
        domainUuid: row.domain_uuid,
        zoneUuid: row.zone_uuid,
        domainType: row.domain_type,
        model: { properties: propertiesOf(row.model_schema) },
      },
    ]),
  );
};

const loadZones = async ({ reads }: Database, uuids: readonly string[]) => {
  if (uuids.length === 0) return new Map<string, string>();
  const { rows } = await reads.query<{ readonly uuid: string; readonly zone_uuid: string }>({
    name: 'notifications-subject-zones',
    text: 'SELECT uuid, zone_uuid FROM adaptor WHERE uuid = ANY ($1::uuid[])',
    values: [uuids],
  });
  return new Map(rows.map((row) => [row.uuid, row.zone_uuid]));
};

/** Loads the facts that data access rules need about changes, in two statements at most. */
export const loadSubjects = async (
  database: Database,
  changes: readonly ChangeEvent[],
): Promise<(change: ChangeEvent) => ChangeSubject> => {
  const names = changes.map(subjectOfChange);
  const versions = await loadVersions(database, given(names.map((name) => name?.domainVersionUuid)));
  const zones = await loadZones(database, given(names.map((name) => name?.adaptorUuid)));
  return (change) => {
    const { domainVersionUuid, adaptorUuid } = subjectOfChange(change) ?? {};
    return {
      version: domainVersionUuid === undefined ? undefined : versions.get(domainVersionUuid),
      adaptorZoneUuid: adaptorUuid === undefined ? undefined : zones.get(adaptorUuid),
    };
  };
};
