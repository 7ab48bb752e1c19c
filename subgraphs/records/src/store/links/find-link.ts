import type { Queryable } from '@fds/database';

/** That an adaptor links a record. */
export interface FoundLink {
  readonly drUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly dateCreated: Date;
  /** JSON text: the key as the adaptor holds it. */
  readonly drKey: string;
}

/** The link of a record at an adaptor; undefined if the adaptor has no link. */
export const findLink = async (
  client: Queryable,
  drUuid: string,
  adaptorUuid: string,
): Promise<FoundLink | undefined> => {
  const { rows } = await client.query<{
    readonly version: string;
    readonly date_created: Date;
    readonly dr_key: string;
  }>({
    name: 'records-find-link',
    text: `SELECT domain_version_uuid AS version, date_created, dr_key::text AS dr_key FROM record_link WHERE record_uuid = $1 AND adaptor_uuid = $2`,
    values: [drUuid, adaptorUuid],
  });
  const [row] = rows;
  return (
    row && { drUuid, adaptorUuid, domainVersionUuid: row.version, dateCreated: row.date_created, drKey: row.dr_key }
  );
};
