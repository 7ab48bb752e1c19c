import type { Queryable } from '@fds/database';

/** An adaptor that links a record. */
export interface LinkingAdaptor {
  readonly uuid: string;
  readonly name: string;
  readonly zoneUuid: string;
  /** When it was linked. */
  readonly dateCreated: Date;
}

/** The adaptors of several records in one statement, by name; a record without any has no entry. */
export const loadLinkingAdaptors = async (
  client: Queryable,
  recordUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly LinkingAdaptor[]>> => {
  const { rows } = await client.query<{
    readonly record_uuid: string;
    readonly uuid: string;
    readonly name: string;
    readonly zone_uuid: string;
    readonly date_created: Date;
  }>({
    name: 'records-load-linking-adaptors',
    text: `SELECT l.record_uuid, a.uuid, a.name, a.zone_uuid, l.date_created
           FROM record_link l JOIN adaptor a ON a.uuid = l.adaptor_uuid
           WHERE l.record_uuid = ANY ($1::uuid[]) ORDER BY a.name, a.uuid`,
    values: [recordUuids],
  });
  const adaptors = new Map<string, LinkingAdaptor[]>();
  for (const row of rows) {
    const list = adaptors.get(row.record_uuid) ?? [];
    list.push({ uuid: row.uuid, name: row.name, zoneUuid: row.zone_uuid, dateCreated: row.date_created });
    adaptors.set(row.record_uuid, list);
  }
  return adaptors;
};

/** How many records adaptors link; an adaptor without any has no entry. */
export const countLinkages = async (
  client: Queryable,
  adaptorUuids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await client.query<{ readonly adaptor_uuid: string; readonly linkages: bigint }>({
    name: 'records-count-linkages',
    text: `SELECT adaptor_uuid, count(*) AS linkages FROM record_link
           WHERE adaptor_uuid = ANY ($1::uuid[]) GROUP BY adaptor_uuid`,
    values: [adaptorUuids],
  });
  return new Map(rows.map((row) => [row.adaptor_uuid, row.linkages]));
};
