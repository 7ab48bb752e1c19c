import type { SqlSession } from '@fds/database';
import { reportWindow } from '../channels/delivery.js';
import { firstUuid, type OldRows, type PrunedRows } from './old-rows.js';

/**
 * Deletes the rows of removed links when no event from before the removal can arrive: the adaptor has acknowledged its last
 * message about the record and a window of others after it, or the adaptor is deleted. A row stays while an event of the
 * adaptor and the key waits, because that event was made before the removal. The next call handles rows that are locked now.
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
               AND NOT EXISTS (
                 SELECT FROM data_issue i
                 WHERE i.adaptor_uuid = l.adaptor_uuid AND i.domain_version_uuid = l.domain_version_uuid
                   AND i.key_digest = l.key_digest AND i.status = 'OPEN')
             LIMIT $3 FOR UPDATE OF l SKIP LOCKED))`,
    values: [before, reportWindow, limit],
  });
  const removed = rowCount ?? 0;
  // each round begins at the first: those that were looked at are gone, or have to stay
  return { last: removed < limit ? null : firstUuid, removed };
};
