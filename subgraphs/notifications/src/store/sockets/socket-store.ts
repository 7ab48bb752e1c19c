import type { Database } from '@fds/database';
import type { SocketSubscription } from '../registrations/list-notifications.js';

/** An open websocket with subscriptions. */
export interface OpenSocket {
  readonly uuid: string;
  readonly userUuid: string;
  /** The process that serves the websocket. */
  readonly instanceUuid: string;
  readonly subscriptions: readonly SocketSubscription[];
}

/** The open websockets in GET `/notifications`. */
export interface SocketStore {
  /** Adds a websocket to the list, or updates its subscriptions. */
  register(socket: OpenSocket): Promise<void>;
  /** Removes a websocket from the list; no error when it is not listed. */
  unregister(socketUuid: string): Promise<void>;
  /** Keeps the websockets of a process in the list for another `leaseMs`, and removes those of processes that have ended. */
  renew(instanceUuid: string): Promise<void>;
  /** Removes all websockets of a process from the list. */
  unregisterAll(instanceUuid: string): Promise<void>;
}

export interface SocketStoreOptions {
  readonly database: Database;
  readonly now: () => Date;
  /**
   * Time for which the websockets of a killed process are still listed, in milliseconds. Renew at least twice within
   * this time.
   */
  readonly leaseMs: number;
}

export const createSocketStore = ({ database: { pool }, now, leaseMs }: SocketStoreOptions): SocketStore => {
  const leaseEnd = (): Date => new Date(now().getTime() + leaseMs);
  return {
    register: async ({ uuid, userUuid, instanceUuid, subscriptions }) => {
      await pool.query({
        name: 'notifications-register-socket',
        text: `INSERT INTO notification_socket (uuid, user_uuid, instance_uuid, subscriptions, date_created, leased_until)
               VALUES ($1, $2, $3, $4, $5, $6)
               ON CONFLICT (uuid) DO UPDATE SET subscriptions = excluded.subscriptions, leased_until = excluded.leased_until`,
        values: [uuid, userUuid, instanceUuid, JSON.stringify(subscriptions), now(), leaseEnd()],
      });
    },
    unregister: async (socketUuid) => {
      await pool.query({
        name: 'notifications-unregister-socket',
        text: 'DELETE FROM notification_socket WHERE uuid = $1',
        values: [socketUuid],
      });
    },
    renew: async (instanceUuid) => {
      await pool.query('UPDATE notification_socket SET leased_until = $2 WHERE instance_uuid = $1', [
        instanceUuid,
        leaseEnd(),
      ]);
      await pool.query('DELETE FROM notification_socket WHERE leased_until <= $1', [now()]);
    },
    unregisterAll: async (instanceUuid) => {
      await pool.query('DELETE FROM notification_socket WHERE instance_uuid = $1', [instanceUuid]);
    },
  };
};
