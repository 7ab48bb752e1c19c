import type { Queryable } from '@fds/database';

/** The data events of an adaptor in a minute. */
export interface AdaptorMinute {
  readonly date: Date;
  readonly sent: bigint;
  readonly received: bigint;
}

interface MinuteRow extends AdaptorMinute {
  readonly uuid: string;
}

/** Minutes with events, the oldest first, in one statement for all adaptors. @param after minute since 1970 */
export const loadLastMinutes = async (
  reads: Queryable,
  adaptorUuids: readonly string[],
  after: number,
): Promise<ReadonlyMap<string, readonly AdaptorMinute[]>> => {
  const { rows } = await reads.query<MinuteRow>({
    name: 'catalog-load-last-minutes',
    text: `SELECT adaptor_uuid AS uuid, to_timestamp(minute::float8 * 60) AS date, sent, received
           FROM adaptor_minute WHERE adaptor_uuid = ANY ($1::uuid[]) AND minute > $2 ORDER BY minute`,
    values: [adaptorUuids, after],
  });
  return Map.groupBy(rows, ({ uuid }) => uuid);
};
