import { logChanges, type SqlClient, type Queryable } from '@fds/database';
import type { JsonObject } from '@fds/json';
import { toLoggedChange } from '../records/to-logged-change.js';

/** Rows of each kind that one transaction removes at most. */
export interface ClearingLimits {
  readonly maxLinks: number;
  readonly maxDeliveries: number;
}

/** Adaptors that were deleted and have left a channel or a lease. */
export const findGoneAdaptors = async (client: Queryable): Promise<string[]> => {
  const { rows } = await client.query<{ readonly adaptor_uuid: string }>(
    `SELECT adaptor_uuid FROM (SELECT adaptor_uuid FROM adaptor_channel UNION SELECT adaptor_uuid FROM relay_lease) AS known
     WHERE NOT EXISTS (SELECT 1 FROM adaptor a WHERE a.uuid = known.adaptor_uuid)`,
  );
  return rows.map((row) => row.adaptor_uuid);
};

interface UnlinkedRow {
  readonly uuid: string;
  readonly domain_version_uuid: string;
  readonly dr_key: JsonObject;
  readonly goes: boolean;
}

/** A federated record goes with its last link, as when its source deletes it; the others stay. */
const clearLinks = async (client: SqlClient, adaptorUuid: string, maxLinks: number): Promise<number> => {
  const { rows: links } = await client.query<{ readonly record_uuid: string }>(
    'SELECT record_uuid FROM record_link WHERE adaptor_uuid = $1 LIMIT $2',
    [adaptorUuid, maxLinks],
  );
  if (links.length === 0) return 0;
  const recordUuids = links.map((link) => link.record_uuid);
  // waits for transactions that link one of them at this moment, in the order in which ingest locks
  await client.query('SELECT 1 FROM data_record WHERE uuid = ANY ($1::uuid[]) ORDER BY uuid FOR UPDATE', [recordUuids]);
  await client.query('DELETE FROM record_link WHERE adaptor_uuid = $1 AND record_uuid = ANY ($2::uuid[])', [
    adaptorUuid,
    recordUuids,
  ]);
  const { rows: unlinked } = await client.query<UnlinkedRow>(
    `SELECT r.uuid, r.domain_version_uuid, r.dr_key,
            d.domain_type = 'FEDERATED'
              AND NOT EXISTS (SELECT 1 FROM record_link l WHERE l.record_uuid = r.uuid) AS goes
     FROM data_record r JOIN domain_version v ON v.uuid = r.domain_version_uuid JOIN domain d ON d.uuid = v.domain_uuid
     WHERE r.uuid = ANY ($1::uuid[])`,
    [recordUuids],
  );
  await client.query('DELETE FROM data_record WHERE uuid = ANY ($1::uuid[])', [
    unlinked.filter(({ goes }) => goes).map(({ uuid }) => uuid),
  ]);
  const changes = unlinked.map(({ uuid, domain_version_uuid, dr_key, goes }) =>
    toLoggedChange({
      action: goes ? 'DELETE' : 'PUT',
      recordUuid: uuid,
      domainVersionUuid: domain_version_uuid,
      actorUuid: undefined,
      transactionUuid: undefined,
      drKey: dr_key,
    }),
  );
  await logChanges(client, changes);
  return links.length;
};

const clearDeliveries = async (client: Queryable, adaptorUuid: string, maxDeliveries: number): Promise<number> => {
  const { rowCount } = await client.query(
    // old ones may be gone from between others
    `DELETE FROM delivery WHERE adaptor_uuid = $1 AND sequence IN (
       SELECT sequence FROM delivery WHERE adaptor_uuid = $1 ORDER BY sequence LIMIT $2)`,
    [adaptorUuid, maxDeliveries],
  );
  return rowCount ?? 0;
};

/**
 * Removes a part of what a deleted adaptor left: links, deliveries, and with the last of them its channel and lease. Runs
 * inside a transaction, whose lock on the channel keeps batches from adding to it.
 *
 * @returns whether nothing is left
 */
export const clearRemains = async (
  client: SqlClient,
  adaptorUuid: string,
  { maxLinks, maxDeliveries }: ClearingLimits,
): Promise<boolean> => {
  await client.query('SELECT 1 FROM adaptor_channel WHERE adaptor_uuid = $1 FOR UPDATE', [adaptorUuid]);
  const links = await clearLinks(client, adaptorUuid, maxLinks);
  const deliveries = await clearDeliveries(client, adaptorUuid, maxDeliveries);
  if (links === maxLinks || deliveries === maxDeliveries) return false;
  await client.query('DELETE FROM delivery_progress WHERE adaptor_uuid = $1', [adaptorUuid]);
  await client.query('DELETE FROM adaptor_channel WHERE adaptor_uuid = $1', [adaptorUuid]);
  await client.query('DELETE FROM relay_lease WHERE adaptor_uuid = $1', [adaptorUuid]);
  await client.query('DELETE FROM reconciliation WHERE adaptor_uuid = $1', [adaptorUuid]);
  await client.query('DELETE FROM redelivery WHERE adaptor_uuid = $1', [adaptorUuid]);
  return true;
};
