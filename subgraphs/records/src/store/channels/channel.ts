import { binaryArray, type SqlSession } from '@fds/database';
import type { Channel } from '../../domain/meet-adaptor.js';

interface ChannelRow {
  readonly adaptor_uuid: string;
  readonly down_epoch: string;
  readonly down_base: bigint;
  readonly down_sequence: bigint;
  readonly down_acked: bigint;
  readonly up_epoch: string | null;
  readonly up_applied: bigint;
}

const columns = 'adaptor_uuid, down_epoch, down_base, down_sequence, down_acked, up_epoch, up_applied';

const toChannel = (row: ChannelRow): Channel => ({
  adaptorUuid: row.adaptor_uuid,
  downEpoch: row.down_epoch,
  downBase: Number(row.down_base),
  downSequence: Number(row.down_sequence),
  downAcked: Number(row.down_acked),
  upEpoch: row.up_epoch,
  upApplied: Number(row.up_applied),
});

/**
 * Opens the channels of adaptors that have none yet. `newUuid` gives each its epoch. An adaptor that was deleted gets
 * none, and an adaptor that gets a channel is not deleted before the transaction ends: its remains can then be cleared.
 */
export const ensureChannels = async (
  client: SqlSession,
  adaptorUuids: readonly string[],
  newUuid: () => string,
): Promise<void> => {
  if (adaptorUuids.length === 0) return;
  await client.query({
    name: 'records-ensure-channels',
    text: `INSERT INTO adaptor_channel (adaptor_uuid, down_epoch)
           SELECT fresh.* FROM unnest($1::uuid[], $2::uuid[]) AS fresh(adaptor_uuid, down_epoch)
             -- by the index, as in the update of records
             JOIN adaptor a ON a.uuid = fresh.adaptor_uuid AND a.uuid = ANY ($1::uuid[])
           ORDER BY 1 FOR KEY SHARE OF a
           ON CONFLICT DO NOTHING`,
    values: [binaryArray.uuid(adaptorUuids), binaryArray.uuid(adaptorUuids.map(() => newUuid()))],
  });
};

/** Reads channels without a lock. */
export const loadChannels = async (
  client: SqlSession,
  adaptorUuids: readonly string[],
): Promise<ReadonlyMap<string, Channel>> => {
  const { rows } = await client.query<ChannelRow>({
    name: 'records-load-channels',
    text: `SELECT ${columns} FROM adaptor_channel WHERE adaptor_uuid = ANY ($1::uuid[])`,
    values: [binaryArray.uuid(adaptorUuids)],
  });
  return new Map(rows.map((row) => [row.adaptor_uuid, toChannel(row)]));
};

/** Locks channels until the transaction ends, in one order for all, so that transactions wait and never deadlock. */
export const lockChannels = async (
  client: SqlSession,
  adaptorUuids: readonly string[],
): Promise<ReadonlyMap<string, Channel>> => {
  const { rows } = await client.query<ChannelRow>({
    name: 'records-lock-channels',
    text: `SELECT ${columns} FROM adaptor_channel WHERE adaptor_uuid = ANY ($1::uuid[])
           ORDER BY adaptor_uuid FOR NO KEY UPDATE`,
    values: [binaryArray.uuid(adaptorUuids)],
  });
  return new Map(rows.map((row) => [row.adaptor_uuid, toChannel(row)]));
};

/** Advances the positions by the messages that a batch took from adaptors and queued for them. The rows are locked. */
export const advanceChannels = async (
  client: SqlSession,
  channels: readonly Pick<Channel, 'adaptorUuid' | 'downSequence' | 'upApplied'>[],
): Promise<void> => {
  if (channels.length === 0) return;
  await client.query({
    name: 'records-advance-channels',
    text: `UPDATE adaptor_channel c SET down_sequence = n.down_sequence, up_applied = n.up_applied
           FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS n(adaptor_uuid, down_sequence, up_applied)
           -- by the index, as in the update of records
           WHERE c.adaptor_uuid = n.adaptor_uuid AND c.adaptor_uuid = ANY ($1::uuid[])`,
    values: [
      binaryArray.uuid(channels.map((channel) => channel.adaptorUuid)),
      binaryArray.int8(channels.map((channel) => channel.downSequence)),
      binaryArray.int8(channels.map((channel) => channel.upApplied)),
    ],
  });
};

/** Sets up a channel after a hello. The row is locked. */
export const saveChannel = async (client: SqlSession, channel: Channel): Promise<void> => {
  await client.query({
    name: 'records-save-channel',
    text: `UPDATE adaptor_channel SET down_epoch = $2, down_base = $3, up_epoch = $4, up_applied = $5,
             down_sent = CASE down_epoch WHEN $2 THEN down_sent ELSE $3 END
           WHERE adaptor_uuid = $1`,
    values: [channel.adaptorUuid, channel.downEpoch, channel.downBase, channel.upEpoch, channel.upApplied],
  });
};
