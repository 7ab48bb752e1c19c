import type { Queryable } from '@fds/database';

/** The zone of an adaptor, undefined when there is no such adaptor. */
export const findAdaptorZone = async (client: Queryable, adaptorUuid: string): Promise<string | undefined> => {
  const { rows } = await client.query<{ readonly zone_uuid: string }>('SELECT zone_uuid FROM adaptor WHERE uuid = $1', [
    adaptorUuid,
  ]);
  return rows[0]?.zone_uuid;
};
