import type { Database } from '@fds/database';
import { wakeReceivers } from './wake-receivers.js';

/** Leases: which process sends to which receiver. Only the owner of a lease writes results. */
export interface Leases {
  /** @returns false when another process sends to it, or nothing can be sent now */
  acquire(registrationUuid: string): Promise<boolean>;
  /** Releases the lease, unless a waiting message can be sent now. @returns false when there is such a message */
  release(registrationUuid: string): Promise<boolean>;
  /** Counts the queue again. */
  recount(registrationUuid: string): Promise<void>;
  /** Releases the lease in any case. */
  drop(registrationUuid: string): Promise<void>;
  /** Releases the lease. Nothing is sent before the given time. */
  postpone(registrationUuid: string, until: Date): Promise<void>;
  /** Renews all leases of this process. */
  renew(): Promise<void>;
  /** Receivers with messages that can be sent, but to which no process sends. `expired`: only those of killed processes. */
  findForgotten(which: 'all' | 'expired'): Promise<readonly string[]>;
}

export interface LeaseOptions {
  readonly database: Pick<Database, 'pool' | 'transaction'>;
  readonly owner: string;
  readonly leaseMs: number;
  readonly now: () => Date;
}

const isDue = '(next_attempt IS NULL OR next_attempt <= $1)';

export const createLeases = ({ database: { pool, transaction }, owner, leaseMs, now }: LeaseOptions): Leases => {
  const end = (): Date => new Date(now().getTime() + leaseMs);
  return {
    acquire: async (registrationUuid) => {
      const { rowCount } = await pool.query({
        name: 'notifications-acquire',
        text: `UPDATE notification_receiver SET lease_owner = $3, leased_until = $4
               WHERE registration_uuid = $2 AND queued_messages > 0 AND ${isDue}
                 AND (lease_owner IS NULL OR leased_until <= $1)`,
        values: [now(), registrationUuid, owner, end()],
      });
      return rowCount === 1;
    },
    release: async (registrationUuid) => {
      const { rowCount } = await pool.query({
        name: 'notifications-release',
        text: `UPDATE notification_receiver SET lease_owner = NULL, leased_until = NULL
               WHERE registration_uuid = $2 AND lease_owner = $3 AND NOT (queued_messages > 0 AND ${isDue})`,
        values: [now(), registrationUuid, owner],
      });
      return rowCount === 1;
    },
    recount: (registrationUuid) =>
      transaction(async (client) => {
        // the lock prevents new messages until the transaction ends, so the count includes all of them
        const lock = 'SELECT FROM notification_receiver WHERE registration_uuid = $1 AND lease_owner = $2 FOR UPDATE';
        const { rowCount } = await client.query(lock, [registrationUuid, owner]);
        if (rowCount === 0) return;
        await client.query(
          `UPDATE notification_receiver SET (queued_messages, queued_bytes) = (
             SELECT count(*), coalesce(sum(bytes), 0) FROM notification_message m JOIN change_log USING (position)
             WHERE m.registration_uuid = $1 AND m.sequence > settled_upto AND m.status = 'QUEUED')
           WHERE registration_uuid = $1`,
          [registrationUuid],
        );
      }),
    drop: async (registrationUuid) => {
      await pool.query(
        `UPDATE notification_receiver SET lease_owner = NULL, leased_until = NULL
         WHERE registration_uuid = $1 AND lease_owner = $2`,
        [registrationUuid, owner],
      );
    },
    postpone: (registrationUuid, until) =>
      transaction(async (client) => {
        const { rowCount } = await client.query(
          `UPDATE notification_receiver SET lease_owner = NULL, leased_until = NULL, next_attempt = $3
           WHERE registration_uuid = $1 AND lease_owner = $2`,
          [registrationUuid, owner, until],
        );
        if (rowCount === 1) await wakeReceivers(client, [registrationUuid], until);
      }),
    renew: async () => {
      await pool.query('UPDATE notification_receiver SET leased_until = $2 WHERE lease_owner = $1', [owner, end()]);
    },
    findForgotten: async (which) => {
      const { rows } = await pool.query<{ readonly uuid: string }>(
        `SELECT registration_uuid AS uuid FROM notification_receiver
         JOIN notification_registration r ON r.uuid = registration_uuid
         WHERE queued_messages > 0 AND r.status IN ('ACTIVE', 'FAILING') AND ${isDue}
           AND ((lease_owner IS NULL AND $2) OR leased_until <= $1)`,
        [now(), which === 'all'],
      );
      return rows.map(({ uuid }) => uuid);
    },
  };
};
