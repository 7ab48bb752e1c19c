import type { SqlSession } from '@fds/database';
import { reportWindow } from '../channels/delivery.js';
import { firstUuid, type OldRows, type PrunedRows } from './old-rows.js';

/**
 * Removes what is left of removed links once nothing from before may arrive any more: the adaptor has acknowledged its last
 * message of the record, and a window of others after it, or is gone. Rows that are locked stay for the next time.
 */
export const pruneRemovedLinks = async (
  client: SqlSession,
  { before, limit }: Pick<OldRows, 'before' | 'limit'>,
): Promise<PrunedRows> => {
  const { rowCount } = await client.query({
    name: 'records-prune-removed-links',
    text: `DELETE FROM removed_link WHERE ctid = ANY (ARRAY(
             SELECT l.ctid FROM removed_link l LEFT JOIN adaptor_channel c ON c.adaptor_uuid = l.adaptor_uuid
             WHERE l.date_removed < $1 AND (c.adaptor_uuid IS NULL OR l.last_sequence <= c.down_acked - $2::bigint)
             LIMIT $3 FOR UPDATE OF l SKIP LOCKED))`,
    values: [before, reportWindow, limit],
  });
  const removed = rowCount ?? 0;
  // each round begins at the first: those that were looked at are gone, or have to stay
  return { last: removed < limit ? null : firstUuid, removed };
};
