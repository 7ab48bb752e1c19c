import type { Queryable } from '@fds/database';
import { isLiving } from '@fds/owned-tables';

/** State of a process, as its row shows it. */
export interface ProcessState {
  readonly uuid: string;
  readonly parts: readonly string[];
  readonly version: string;
  readonly host: string;
  readonly dateStarted: Date;
  /** Does the process take a share of the adaptors? */
  readonly takesLeases: boolean;
  /** Undefined: no part of the process uses the bus. */
  readonly busConnected: boolean | undefined;
  /** Position of its slowest reader of the change log; undefined: it has none. */
  readonly changeLogPosition: bigint | undefined;
}

/** Renews the row of the process, and removes those of dead processes. */
export const renewProcess = async (client: Queryable, state: ProcessState): Promise<void> => {
  await client.query({
    name: 'governance-renew-process',
    text: `WITH removed AS (
             DELETE FROM server_process d WHERE d.uuid <> $1 AND NOT (${isLiving('d')})
           )
           INSERT INTO server_process AS p
             (uuid, parts, version, host, date_started, heartbeat, takes_leases, bus_connected, change_log_lag)
           VALUES ($1, $2, $3, $4, $5, clock_timestamp(), $6, $7,
                   coalesce(greatest(0, (SELECT max(position) FROM change_log) - $8::bigint), 0))
           ON CONFLICT (uuid) DO UPDATE
           SET heartbeat = excluded.heartbeat, takes_leases = excluded.takes_leases,
               bus_connected = excluded.bus_connected, change_log_lag = excluded.change_log_lag`,
    values: [
      state.uuid,
      state.parts,
      state.version,
      state.host,
      state.dateStarted,
      state.takesLeases,
      state.busConnected ?? null,
      state.changeLogPosition ?? null,
    ],
  });
};

export const removeProcess = async (client: Queryable, uuid: string): Promise<void> => {
  await client.query('DELETE FROM server_process WHERE uuid = $1', [uuid]);
};

/** A living process. */
export interface ListedProcess {
  readonly uuid: string;
  readonly parts: readonly string[];
  readonly version: string;
  readonly host: string;
  readonly dateStarted: Date;
  readonly heartbeat: Date;
  /** Active adaptors that it serves. */
  readonly leases: number;
  readonly busConnected: boolean | null;
  readonly changeLogLag: bigint;
}

/** The living processes in order of their start. */
export const listProcesses = async (client: Queryable): Promise<readonly ListedProcess[]> => {
  const { rows } = await client.query<ListedProcess>(
    `SELECT p.uuid, p.parts, p.version, p.host, p.date_started AS "dateStarted", p.heartbeat,
            p.bus_connected AS "busConnected", p.change_log_lag AS "changeLogLag",
            (SELECT count(*)::int FROM relay_lease l JOIN adaptor a ON a.uuid = l.adaptor_uuid AND a.active
             WHERE l.owner = p.uuid AND l.expires_at > clock_timestamp()) AS leases
     FROM server_process p
     WHERE ${isLiving('p')}
     ORDER BY p.date_started, p.uuid`,
  );
  return rows;
};
