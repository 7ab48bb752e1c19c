import { createHash } from 'node:crypto';
import type { PrismaTransaction } from '@fds/database';

/**
 * Claims a message of an adaptor for this process. On an external broker every server process receives every message.
 * One process claims it, for a minute: a retained message that is received later counts as new.
 *
 * @returns true when no other process has claimed it; false also for an adaptor that does not exist
 */
export const takeMessage = async (
  tx: Pick<PrismaTransaction, '$queryRaw'>,
  adaptorUuid: string,
  messageId: string,
): Promise<boolean> => {
  const idDigest = createHash('sha256').update(messageId).digest();
  const rows = await tx.$queryRaw<readonly unknown[]>`
    WITH gone AS (
      DELETE FROM adaptor_message
      WHERE adaptor_uuid = ${adaptorUuid}::uuid AND id_digest <> ${idDigest}
        AND taken_at < clock_timestamp() - interval '1 minute'
    )
    INSERT INTO adaptor_message AS m (adaptor_uuid, id_digest, taken_at)
    SELECT uuid, ${idDigest}, clock_timestamp() FROM adaptor WHERE uuid = ${adaptorUuid}::uuid
    ON CONFLICT (adaptor_uuid, id_digest) DO UPDATE SET taken_at = excluded.taken_at
      WHERE m.taken_at < clock_timestamp() - interval '1 minute'
    RETURNING 1 AS taken`;
  return rows.length > 0;
};
