import type { IssueCause } from '../../domain/events/event-outcome.js';
import type { RecordKey } from '../../domain/records/record-key.js';
import type { ReleasedEvents } from '../../store/issues/released-events.js';
import { queueOf, type QueueKey } from '../../domain/issues/parked-queues.js';

/** Keys of a version. Beyond these it is less to go through all that wait for a record of it. */
const maxAwaited = 10_000;

/** The events that have been released and not tried yet; a duplicate counts once. */
export class ParkedReleases {
  #all = false;
  readonly #causes = new Set<IssueCause>();
  readonly #versions = new Set<string>();
  readonly #adaptors = new Set<string>();
  /** Digests by version. */
  readonly #awaited = new Map<string, Set<string>>();
  #awaitedKeys = 0;
  readonly #awaitedOf = new Set<string>();
  readonly #brakes = new Set<string>();
  readonly #queues = new Map<string, QueueKey>();

  add(released: ReleasedEvents): void {
    switch (released.kind) {
      case 'ALL':
        this.#all = true;
        return;
      case 'CAUSE':
        this.#causes.add(released.cause);
        return;
      case 'AWAITED':
        for (const key of released.keys) this.#addAwaited(key);
        return;
      case 'AWAITED_OF':
        for (const uuid of released.versionUuids) this.#awaitAllOf(uuid);
        return;
      case 'VERSIONS':
        for (const uuid of released.uuids) this.#versions.add(uuid);
        return;
      case 'ADAPTORS':
        for (const uuid of released.uuids) this.#adaptors.add(uuid);
        return;
      case 'BRAKE':
        this.#brakes.add(released.issueUuid);
        return;
      case 'QUEUES':
        for (const queue of released.queues) this.#queues.set(queueOf(queue), queue);
    }
  }

  /** Takes all of it away. */
  take(): readonly ReleasedEvents[] {
    const taken: ReleasedEvents[] = this.#all
      ? [{ kind: 'ALL' }]
      : [...this.#causes].map((cause) => ({ kind: 'CAUSE', cause }));
    if (!this.#all && this.#versions.size > 0) taken.push({ kind: 'VERSIONS', uuids: [...this.#versions] });
    if (!this.#all && this.#adaptors.size > 0) taken.push({ kind: 'ADAPTORS', uuids: [...this.#adaptors] });
    if (!this.#all && this.#awaitedKeys > 0) taken.push({ kind: 'AWAITED', keys: this.#takeAwaited() });
    if (!this.#all && this.#awaitedOf.size > 0) taken.push({ kind: 'AWAITED_OF', versionUuids: [...this.#awaitedOf] });
    taken.push(...[...this.#brakes].map((issueUuid) => ({ kind: 'BRAKE', issueUuid }) as const));
    if (this.#queues.size > 0) taken.push({ kind: 'QUEUES', queues: [...this.#queues.values()] });
    this.#all = false;
    this.#awaitedKeys = 0;
    for (const collection of [
      this.#causes,
      this.#versions,
      this.#adaptors,
      this.#awaited,
      this.#awaitedOf,
      this.#brakes,
      this.#queues,
    ])
      collection.clear();
    return taken;
  }

  #addAwaited({ domainVersionUuid, keyDigest }: RecordKey): void {
    if (this.#awaitedOf.has(domainVersionUuid)) return;
    const digests = this.#awaited.get(domainVersionUuid) ?? new Set();
    if (digests.has(keyDigest)) return;
    this.#awaited.set(domainVersionUuid, digests.add(keyDigest));
    this.#awaitedKeys += 1;
    if (digests.size > maxAwaited) this.#awaitAllOf(domainVersionUuid);
  }

  #awaitAllOf(versionUuid: string): void {
    this.#awaitedOf.add(versionUuid);
    this.#awaitedKeys -= this.#awaited.get(versionUuid)?.size ?? 0;
    this.#awaited.delete(versionUuid);
  }

  #takeAwaited(): RecordKey[] {
    return [...this.#awaited].flatMap(([domainVersionUuid, digests]) =>
      [...digests].map((keyDigest) => ({ domainVersionUuid, keyDigest })),
    );
  }
}
