import type { AdaptorReading } from '@fds/change-events';
import type { Database } from '@fds/database';

interface Row {
  readonly uuid: string;
  readonly zone_uuid: string;
  readonly name: string;
  readonly state: string;
  readonly state_message: string | null;
  readonly queued: bigint;
  readonly acknowledged: bigint;
  readonly applied: bigint;
  readonly epoch: string | null;
}

interface Counts {
  readonly at: number;
  readonly acknowledged: bigint;
  readonly applied: bigint;
  readonly epoch: string | null;
}

const perSecond = (now: bigint, before: bigint, milliseconds: number): number =>
  now <= before || milliseconds <= 0 ? 0 : Math.round((Number(now - before) * 10_000) / milliseconds) / 10;

/** Reads all adaptors with one statement. Rates need two reads, so the first read shows 0. */
export const openAdaptorReader = (
  { reads }: Pick<Database, 'reads'>,
  now: () => number,
): (() => Promise<readonly AdaptorReading[]>) => {
  let before = new Map<string, Counts>();
  return async () => {
    const { rows } = await reads.query<Row>(
      `SELECT a.uuid, a.zone_uuid, a.name, a.state, a.state_message, coalesce(c.down_sequence, 0) AS queued,
              coalesce(c.down_acked, 0) AS acknowledged, coalesce(c.up_applied, 0) AS applied, c.up_epoch AS epoch
       FROM adaptor a LEFT JOIN adaptor_channel c ON c.adaptor_uuid = a.uuid WHERE a.active ORDER BY a.uuid`,
    );
    const at = now();
    const counts = new Map<string, Counts>();
    const readings = rows.map((row): AdaptorReading => {
      const { uuid, acknowledged, applied, epoch } = row;
      counts.set(uuid, { at, acknowledged, applied, epoch });
      const last = before.get(uuid);
      const milliseconds = last === undefined ? 0 : at - last.at;
      // numbers start again in a new epoch
      const appliedBefore = last?.epoch === epoch ? (last?.applied ?? applied) : applied;
      return {
        adaptorUuid: uuid,
        zoneUuid: row.zone_uuid,
        name: row.name,
        state: row.state,
        stateMessage: row.state_message,
        queueLength: Number(row.queued - acknowledged),
        eventsSentPerSecond: perSecond(applied, appliedBefore, milliseconds),
        eventsReceivedPerSecond: perSecond(acknowledged, last?.acknowledged ?? acknowledged, milliseconds),
      };
    });
    before = counts;
    return readings;
  };
};
