import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { acquireLeases, loadExpiredLeases, releaseLeases } from '../store/lease.js';

/** Which adaptors this process serves: one owner per adaptor among all server processes. */
export interface Leases extends Closable {
  holds(adaptorUuid: string): boolean;
  /** Takes the adaptor unless another living process has it. Asked again at once after a refusal, it answers from memory. */
  acquire(adaptorUuid: string): Promise<boolean>;
  /** Number of adaptors that this process serves. */
  readonly count: number;
  /** Number of adaptors that this process has taken over since its start. */
  readonly takeovers: number;
}

export interface LeaseOptions {
  readonly database: Database;
  /** This process; different at every start. */
  readonly instanceUuid: string;
  readonly log: Log;
  /** After that long without renewal another process takes over, in milliseconds. Default 3000. */
  readonly leaseMs?: number;
  /** The process now serves adaptors whose owner died or let go. */
  readonly onTakenOver: (adaptorUuids: readonly string[]) => void;
  /** The process lost adaptors: it could not renew in time. */
  readonly onLost: (adaptorUuids: readonly string[]) => void;
}

const renewalsPerLease = 3;

/** Begins to renew and to take over at once. Closing lets go of everything. */
export const openLeases = (options: LeaseOptions): Leases => {
  const { database, instanceUuid: owner, log, leaseMs = 3_000, onTakenOver, onLost } = options;
  const lease = { owner, durationMs: leaseMs };
  const owned = new Set<string>();
  const refused = new Set<string>();
  let closed = false;
  let takeovers = 0;
  let ticking: Promise<void> | undefined;
  let renewedAt = performance.now();

  const tick = async (): Promise<void> => {
    const startedAt = performance.now();
    refused.clear();
    const renewed = await acquireLeases(database.pool, [...owned], lease);
    renewedAt = startedAt;
    const lost = [...owned].filter((uuid) => !renewed.has(uuid));
    for (const uuid of lost) owned.delete(uuid);
    if (lost.length > 0) onLost(lost);

    const expired = (await loadExpiredLeases(database.pool)).filter((uuid) => !owned.has(uuid));
    if (expired.length === 0 || closed) return;
    const taken = [...(await acquireLeases(database.pool, expired, lease))];
    for (const uuid of taken) owned.add(uuid);
    takeovers += taken.length;
    if (taken.length > 0) onTakenOver(taken);
  };
  const timer = setInterval(() => {
    ticking ??= tick()
      .catch((error: unknown) => log.warn({ err: error }, 'the leases of adaptors could not be renewed'))
      .finally(() => {
        ticking = undefined;
      });
  }, leaseMs / renewalsPerLease);

  const holds = (adaptorUuid: string): boolean => owned.has(adaptorUuid) && performance.now() - renewedAt < leaseMs;

  return {
    holds,
    get count() {
      return owned.size;
    },
    get takeovers() {
      return takeovers;
    },
    acquire: async (adaptorUuid) => {
      // a lease that was not renewed in time may belong to another process now
      if (holds(adaptorUuid)) return true;
      if (closed || refused.has(adaptorUuid)) return false;
      const taken = (await acquireLeases(database.pool, [adaptorUuid], lease)).has(adaptorUuid);
      if (taken) owned.add(adaptorUuid);
      else {
        refused.add(adaptorUuid);
        if (owned.delete(adaptorUuid)) onLost([adaptorUuid]);
      }
      return taken;
    },
    close: async () => {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      await ticking;
      await releaseLeases(database.pool, owner).catch((error: unknown) =>
        log.warn({ err: error }, 'the leases of adaptors could not be released'),
      );
    },
  };
};
