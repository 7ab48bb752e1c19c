import type { Queryable } from '@fds/database';
import { deliveryStatus } from '../channels/delivery.js';

/** The status of the last DELETE of a record to each adaptor. */
export const loadSentDeletions = async (
  client: Queryable,
  recordUuid: string,
): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await client.query<{ readonly adaptor_uuid: string; readonly status: string }>({
    name: 'records-load-sent-deletions',
    text: `SELECT DISTINCT ON (d.adaptor_uuid) d.adaptor_uuid, ${deliveryStatus} AS status
           FROM data_event e JOIN delivery d ON d.event_uuid = e.uuid
             JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
           WHERE e.record_uuid = $1 AND d.action = 'DELETE'
           ORDER BY d.adaptor_uuid, d.sequence DESC`,
    values: [recordUuid],
  });
  return new Map(rows.map((row) => [row.adaptor_uuid, row.status]));
};
