import type { Database } from '@fds/database';
import type { ServerBus } from '@fds/adaptor-bus';
import { deadAfterMs } from '@fds/owned-tables';
import type { Closable, Log } from '@fds/service';
import {
  acquireLeases,
  giveLeases,
  loadFreeAdaptors,
  loadLeaseState,
  releaseLeases,
  type LeaseState,
} from '../store/lease.js';
import { decideShares } from './decide-shares.js';

/** Which adaptors this process serves: one owner per adaptor among all server processes. */
export interface Leases extends Closable {
  holds(adaptorUuid: string): boolean;
  /** Takes the adaptor unless another living process has it. Asked again at once after a refusal, it answers from memory. */
  acquire(adaptorUuid: string): Promise<boolean>;
  /** Did this process give the adaptor away a moment ago? It still receives its messages, so that none is lost in between. */
  hasGiven(adaptorUuid: string): boolean;
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
  /** Receives the messages of single adaptors. Without `follow`, the process receives those of all adaptors. */
  readonly bus?: Pick<ServerBus, 'follow' | 'unfollow'>;
  /** The process now serves adaptors whose owner died, ended or gave them away. */
  readonly onTakenOver: (adaptorUuids: readonly string[]) => void;
  /** The process lost adaptors: it could not renew in time. */
  readonly onLost: (adaptorUuids: readonly string[]) => void;
  /** Another process gets an adaptor. Resolves when this process no longer serves it. */
  readonly onGiven: (adaptorUuid: string) => Promise<void>;
}

const renewalsPerLease = 3;

/** Begins to renew and to take over at once. Closing lets go of everything. */
export const openLeases = (options: LeaseOptions): Leases => {
  const { database, instanceUuid: owner, log, leaseMs = deadAfterMs, bus = {}, onGiven } = options;
  const lease = { owner, durationMs: leaseMs };
  const owned = new Set<string>();
  const refused = new Set<string>();
  /** Adaptors on their way to another process. */
  const given = new Set<string>();
  /** Acquisitions without an answer yet. */
  const acquiring = new Set<Promise<unknown>>();
  /** Adaptors that are with another process, and whose messages still arrive here. */
  const leaving = new Map<string, NodeJS.Timeout>();
  let closed = false;
  let takeovers = 0;
  let giving: Promise<unknown> = Promise.resolve();
  let ticking: Promise<void> | undefined;
  let renewedAt = performance.now();

  /** Before an adaptor is taken: its answer to the first hello must arrive. */
  const follow = async (adaptorUuids: readonly string[]): Promise<void> => {
    for (const uuid of adaptorUuids) {
      clearTimeout(leaving.get(uuid));
      leaving.delete(uuid);
    }
    await bus.follow?.(adaptorUuids);
  };
  const unfollow = (adaptorUuids: readonly string[]): void =>
    bus.unfollow?.(adaptorUuids.filter((uuid) => !owned.has(uuid)));
  const lose = (adaptorUuids: readonly string[]): void => {
    for (const uuid of adaptorUuids) owned.delete(uuid);
    if (adaptorUuids.length === 0) return;
    unfollow(adaptorUuids);
    options.onLost(adaptorUuids);
  };
  const takeOver = (adaptorUuids: readonly string[], served = adaptorUuids.length): void => {
    takeovers += served;
    if (adaptorUuids.length > 0) options.onTakenOver(adaptorUuids);
  };

  /** Serves adaptors that another process gave to this one. */
  const receive = async (mine: readonly string[]): Promise<void> => {
    const received = mine.filter((uuid) => !owned.has(uuid));
    if (received.length > 0) await follow(received);
    for (const uuid of received) owned.add(uuid);
    takeOver(received);
  };

  const takeFree = async (count: number): Promise<void> => {
    const free = await loadFreeAdaptors(database.pool, count);
    if (free.length === 0 || closed) return;
    const wanted = free.map(({ adaptorUuid }) => adaptorUuid);
    await follow(wanted);
    const taken = await acquireLeases(database.pool, wanted, lease);
    for (const uuid of taken) owned.add(uuid);
    unfollow(wanted);
    const served = free.filter((one) => one.served && taken.has(one.adaptorUuid)).map(({ adaptorUuid }) => adaptorUuid);
    // an adaptor without a former owner says hello first; before its owner followed it, no process received the hello
    takeOver(bus.follow === undefined ? served : [...taken], served.length);
  };

  /** The other process receives messages from its next look on. */
  const stayFor = (adaptorUuids: readonly string[]): void => {
    for (const uuid of adaptorUuids) {
      const leave = (): void => {
        leaving.delete(uuid);
        unfollow([uuid]);
      };
      leaving.set(uuid, setTimeout(leave, leaseMs).unref());
    }
  };

  const giveAway = async (to: string, adaptorUuids: readonly string[]): Promise<void> => {
    for (const uuid of adaptorUuids) {
      given.add(uuid);
      owned.delete(uuid);
    }
    try {
      await Promise.all(adaptorUuids.map(onGiven));
      await giveLeases(database.pool, adaptorUuids, { from: owner, to, durationMs: leaseMs });
    } catch (error) {
      // they expire, and a process takes them
      log.warn({ err: error }, 'adaptors could not be given to another process');
    } finally {
      for (const uuid of adaptorUuids) given.delete(uuid);
      stayFor(adaptorUuids);
    }
  };

  const share = async (state: LeaseState, givenBefore: ReadonlySet<string>): Promise<void> => {
    // an answer may be older than the end of a hand-over that it overlapped: the adaptor then belongs to another process
    await receive(state.mine.filter((uuid) => !givenBefore.has(uuid)));
    // the shares are known again when these have arrived
    if (given.size > 0) return;
    const { take, give } = decideShares(owner, state);
    if (take > 0) await takeFree(take);
    // in the background: the renewals of other leases do not wait
    giving = Promise.all(give.map(({ to, adaptorUuids }) => giveAway(to, adaptorUuids)));
  };

  const tick = async (): Promise<void> => {
    const startedAt = performance.now();
    refused.clear();
    const renewed = await acquireLeases(database.pool, [...owned], lease);
    renewedAt = startedAt;
    const lost = [...owned].filter((uuid) => !renewed.has(uuid));
    lose(lost);

    if (closed) return;
    const givenBefore = new Set(given);
    await share(await loadLeaseState(database.pool, owner), givenBefore);
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
    hasGiven: (adaptorUuid) => given.has(adaptorUuid) || leaving.has(adaptorUuid),
    get count() {
      return owned.size;
    },
    get takeovers() {
      return takeovers;
    },
    acquire: async (adaptorUuid) => {
      // a lease that was not renewed in time may belong to another process now
      if (holds(adaptorUuid)) return true;
      if (closed || refused.has(adaptorUuid) || given.has(adaptorUuid) || leaving.has(adaptorUuid)) return false;
      const acquisition = follow([adaptorUuid]).then(() => acquireLeases(database.pool, [adaptorUuid], lease));
      acquiring.add(acquisition);
      const taken = await acquisition
        .then((acquired) => acquired.has(adaptorUuid))
        .finally(() => acquiring.delete(acquisition));
      if (taken && closed) return false;
      if (taken) owned.add(adaptorUuid);
      else {
        refused.add(adaptorUuid);
        if (owned.has(adaptorUuid)) lose([adaptorUuid]);
        else unfollow([adaptorUuid]);
      }
      return taken;
    },
    close: async () => {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      for (const each of leaving.values()) clearTimeout(each);
      await ticking;
      await giving;
      // a lease that is acquired after the release would be free only when it ends
      await Promise.allSettled(acquiring);
      await releaseLeases(database.pool, owner).catch((error: unknown) =>
        log.warn({ err: error }, 'the leases of adaptors could not be released'),
      );
    },
  };
};
