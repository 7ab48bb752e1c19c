import type { Queryable } from '@fds/database';
import type { SqlParameters } from '@fds/search';

/** Where issues are looked for: a zone, an adaptor of it, a domain version at the adaptor. */
export interface IssuePlace {
  readonly zoneUuid: string;
  readonly adaptorUuid?: string | null;
  readonly domainUuid?: string | null;
  readonly domainVersionUuid?: string | null;
}

/** Several zones at once. */
export interface IssueZones {
  readonly zoneUuids: readonly string[];
}

/** Tests on rows of `i` for the place. That the version is of the domain is `isKnownPlace`'s to say. */
export const writePlace = (place: IssuePlace | IssueZones, parameters: SqlParameters): string[] => {
  if ('zoneUuids' in place) return [`i.zone_uuid = ANY (${parameters.add(place.zoneUuids)}::uuid[])`];
  const { zoneUuid, adaptorUuid, domainVersionUuid } = place;
  return [
    `i.zone_uuid = ${parameters.add(zoneUuid)}::uuid`,
    ...(adaptorUuid ? [`i.adaptor_uuid = ${parameters.add(adaptorUuid)}::uuid`] : []),
    ...(domainVersionUuid ? [`i.domain_version_uuid = ${parameters.add(domainVersionUuid)}::uuid`] : []),
  ];
};

/** Uuids of all zones. */
export const listZones = async (client: Queryable): Promise<readonly string[]> => {
  const { rows } = await client.query<{ readonly uuid: string }>({
    name: 'records-list-zones',
    text: 'SELECT uuid FROM zone',
    values: [],
  });
  return rows.map(({ uuid }) => uuid);
};

/**
 * Is there such a place? An adaptor that was removed is still one while it has issues.
 *
 * @returns false too where the version is not of the domain
 */
export const isKnownPlace = async (client: Queryable, place: IssuePlace): Promise<boolean> => {
  const { rows } = await client.query<{ readonly known: boolean }>({
    name: 'records-know-issue-place',
    text: `SELECT EXISTS (SELECT FROM zone WHERE uuid = $1)
             AND ($2::uuid IS NULL OR EXISTS (SELECT FROM adaptor WHERE uuid = $2 AND zone_uuid = $1)
                  OR EXISTS (SELECT FROM data_issue WHERE adaptor_uuid = $2 AND zone_uuid = $1))
             AND ($4::uuid IS NULL OR EXISTS (SELECT FROM domain_version WHERE uuid = $4 AND domain_uuid = $3)) AS known`,
    values: [place.zoneUuid, place.adaptorUuid ?? null, place.domainUuid ?? null, place.domainVersionUuid ?? null],
  });
  return rows[0]?.known === true;
};
