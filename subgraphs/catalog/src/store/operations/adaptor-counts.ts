import type { AdaptorMetrics, EventHistory } from '@fds/adaptor-protocol';
import type { Database, SqlClient } from '@fds/database';
import type { KnownCounts, MetricPeriod, PeriodCount } from '../../domain/operations/count-metrics.js';
import { knownTimeZone } from '../../domain/operations/time-zone.js';

/** The counts of data events that adaptors reported. Kept here so that it is known while they are away. */
export interface AdaptorCounts {
  /** The minute (since 1970) from which on the adaptor is to be asked; before it everything is known. */
  knownUntil(adaptorUuid: string): Promise<number>;
  /** Takes a report of an adaptor. The same may come twice, from several processes, or late. */
  save(adaptorUuid: string, metrics: AdaptorMetrics): Promise<void>;
  /** The requested periods, split by the time zone; the default is the adaptor's own, otherwise UTC. */
  load(adaptorUuid: string, periods: readonly MetricPeriod[], timeZone: string | undefined): Promise<KnownCounts>;
  /**
   * Connected adaptors that were not asked for a while: this process must ask them now, no other will.
   *
   * @param everyMs how long a while is
   */
  claimUnasked(everyMs: number): Promise<readonly string[]>;
}

const minuteMs = 60_000;
const minutesKept = 30 * 24 * 60;
/** The columns that hold minutes. */
const lastMinute = 2 ** 31 - 1;

type CountsClient = Pick<SqlClient, 'query'>;

interface TotalRow {
  readonly sent: bigint;
  readonly received: bigint;
  readonly time_zone: string | null;
  readonly counted_at: Date | null;
}

interface PeriodRow {
  readonly date: Date;
  readonly sent: bigint;
  readonly received: bigint;
}

const toCount = ({ date, sent, received }: PeriodRow): PeriodCount => ({
  date,
  sent: Number(sent),
  received: Number(received),
});

const unitOf = { DAY: 'day', HOUR: 'hour', MINUTE: 'minute' } as const;

export const createAdaptorCounts = ({
  database,
  now,
}: {
  readonly database: Database;
  readonly now: () => Date;
}): AdaptorCounts => {
  const { pool, reads } = database;
  const presentMinute = (): number => Math.floor(now().getTime() / minuteMs);

  const saveTotals = async (
    client: CountsClient,
    adaptorUuid: string,
    { sent, received, timeZone, history }: AdaptorMetrics,
  ): Promise<void> => {
    // a reported period that follows the known one extends it; an adaptor's clock may be ahead, so ours counts
    const until = Math.min(history?.until ?? 0, presentMinute());
    await client.query(
      `INSERT INTO adaptor_counts AS c (adaptor_uuid, sent, received, time_zone, counted_at, known_until)
       SELECT uuid, $2, $3, $4, $5, CASE WHEN $6 = 0 THEN $7 ELSE 0 END FROM adaptor WHERE uuid = $1
       ON CONFLICT (adaptor_uuid) DO UPDATE
       SET sent = excluded.sent, received = excluded.received, counted_at = greatest(c.counted_at, excluded.counted_at),
           time_zone = coalesce(excluded.time_zone, c.time_zone),
           known_until = CASE WHEN $6 <= c.known_until THEN greatest(c.known_until, $7) ELSE c.known_until END`,
      [
        adaptorUuid,
        sent,
        received,
        knownTimeZone(timeZone) ?? null,
        now(),
        Math.min(history?.from ?? lastMinute, lastMinute),
        until,
      ],
    );
  };

  const forgetOldMinutes = (client: CountsClient, adaptorUuid: string): Promise<unknown> =>
    client.query('DELETE FROM adaptor_minute WHERE adaptor_uuid = $1 AND minute <= $2', [
      adaptorUuid,
      presentMinute() - minutesKept,
    ]);

  /** The growth of the totals since the last report, in the minute of the report. */
  const saveGrowth = async (client: CountsClient, adaptorUuid: string, reported: AdaptorMetrics): Promise<void> => {
    await forgetOldMinutes(client, adaptorUuid);
    await client.query(
      `INSERT INTO adaptor_counts (adaptor_uuid) SELECT uuid FROM adaptor WHERE uuid = $1
       ON CONFLICT (adaptor_uuid) DO NOTHING`,
      [adaptorUuid],
    );
    await client.query('SELECT 1 FROM adaptor_counts WHERE adaptor_uuid = $1 FOR UPDATE', [adaptorUuid]);
    // an adaptor that reported a history reports it again
    await client.query(
      `INSERT INTO adaptor_minute AS m (adaptor_uuid, minute, sent, received)
       SELECT adaptor_uuid, $2, greatest($3::bigint - sent, 0), greatest($4::bigint - received, 0)
       FROM adaptor_counts WHERE adaptor_uuid = $1 AND known_until = 0 AND ($3::bigint > sent OR $4::bigint > received)
       ON CONFLICT (adaptor_uuid, minute) DO UPDATE SET sent = m.sent + excluded.sent, received = m.received + excluded.received`,
      [adaptorUuid, presentMinute(), reported.sent, reported.received],
    );
  };

  const saveMinutes = async (adaptorUuid: string, { minutes }: EventHistory): Promise<void> => {
    const present = presentMinute();
    const kept = minutes.filter(({ minute }) => minute > present - minutesKept && minute <= present + 1);
    await forgetOldMinutes(pool, adaptorUuid);
    if (kept.length === 0) return;
    await pool.query(
      `INSERT INTO adaptor_minute AS m (adaptor_uuid, minute, sent, received)
       SELECT $1, minute, max(sent), max(received)
       FROM unnest($2::int[], $3::bigint[], $4::bigint[]) AS reported(minute, sent, received)
       WHERE EXISTS (SELECT 1 FROM adaptor WHERE uuid = $1)
       GROUP BY minute ORDER BY minute
       ON CONFLICT (adaptor_uuid, minute) DO UPDATE
       SET sent = greatest(m.sent, excluded.sent), received = greatest(m.received, excluded.received)`,
      [
        adaptorUuid,
        kept.map(({ minute }) => minute),
        kept.map(({ sent }) => sent),
        kept.map(({ received }) => received),
      ],
    );
  };

  const loadPeriod = async (
    adaptorUuid: string,
    period: keyof typeof unitOf,
    timeZone: string,
  ): Promise<readonly PeriodCount[]> => {
    const { rows } = await reads.query<PeriodRow>(
      `SELECT date_trunc($2, to_timestamp(minute::float8 * 60), $3) AS date, sum(sent)::bigint AS sent, sum(received)::bigint AS received
       FROM adaptor_minute WHERE adaptor_uuid = $1 AND minute > $4 GROUP BY 1 ORDER BY 1`,
      [adaptorUuid, unitOf[period], timeZone, presentMinute() - minutesKept],
    );
    return rows.map(toCount);
  };

  /** Messages of the adaptor that the server took, and those that it acknowledged: for an adaptor that has reported no counts. */
  const loadOwnTotal = async (adaptorUuid: string): Promise<PeriodCount | undefined> => {
    const { rows } = await reads.query<Omit<PeriodRow, 'date'>>(
      'SELECT up_applied AS sent, down_acked AS received FROM adaptor_channel WHERE adaptor_uuid = $1',
      [adaptorUuid],
    );
    const [row] = rows;
    return row === undefined ? undefined : toCount({ ...row, date: now() });
  };

  return {
    knownUntil: async (adaptorUuid) => {
      const { rows } = await pool.query<{ readonly known_until: number }>(
        'SELECT known_until FROM adaptor_counts WHERE adaptor_uuid = $1',
        [adaptorUuid],
      );
      return rows[0]?.known_until ?? 0;
    },
    save: async (adaptorUuid, metrics) => {
      if (metrics.history === undefined) {
        await database.transaction(async (client) => {
          await saveGrowth(client, adaptorUuid, metrics);
          await saveTotals(client, adaptorUuid, metrics);
        });
        return;
      }
      // minutes first: the minutes up to `known_until` must be there
      await saveMinutes(adaptorUuid, metrics.history);
      await saveTotals(pool, adaptorUuid, metrics);
    },
    load: async (adaptorUuid, periods, timeZone) => {
      const { rows } = await reads.query<TotalRow>(
        'SELECT sent, received, time_zone, counted_at FROM adaptor_counts WHERE adaptor_uuid = $1',
        [adaptorUuid],
      );
      const [row] = rows;
      const zone = timeZone ?? row?.time_zone ?? 'UTC';
      const histories = await Promise.all(
        periods.map(async (period) =>
          period === 'ALL_TIME' ? [] : [[period, await loadPeriod(adaptorUuid, period, zone)] as const],
        ),
      );
      const date = row?.counted_at ?? undefined;
      return {
        total: row === undefined || date === undefined ? await loadOwnTotal(adaptorUuid) : toCount({ ...row, date }),
        periods: Object.fromEntries(histories.flat()),
      };
    },
    claimUnasked: async (everyMs) => {
      const { rows } = await pool.query<{ readonly adaptor_uuid: string }>(
        `INSERT INTO adaptor_counts AS c (adaptor_uuid, asked_at)
         SELECT a.uuid, clock_timestamp() FROM adaptor a LEFT JOIN adaptor_counts k ON k.adaptor_uuid = a.uuid
         WHERE a.active AND a.state NOT IN ('DOWN', 'DOWN_PAUSED')
           AND (k.asked_at IS NULL OR k.asked_at < clock_timestamp() - $1 * interval '1 millisecond')
         ORDER BY a.uuid
         ON CONFLICT (adaptor_uuid) DO UPDATE SET asked_at = excluded.asked_at
           WHERE c.asked_at IS NULL OR c.asked_at < clock_timestamp() - $1 * interval '1 millisecond'
         RETURNING adaptor_uuid`,
        [everyMs],
      );
      return rows.map((row) => row.adaptor_uuid);
    },
  };
};
