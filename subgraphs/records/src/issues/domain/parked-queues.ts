import type { IssueCause } from '../../domain/events/event-outcome.js';

/** A key of an adaptor: events of it go one after another. */
export interface QueueKey {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly keyDigest: string;
}

export const queueOf = ({ adaptorUuid, domainVersionUuid, keyDigest }: QueueKey): string =>
  `${adaptorUuid}:${domainVersionUuid}:${keyDigest}`;

/** Open issues of queues as they were loaded. */
export interface OpenQueues {
  /** By queue, in the order in which they were raised. */
  readonly issues: Map<string, string[]>;
  /** Issues whose events cannot be read. */
  readonly unreadable: Set<string>;
  /** Queues that may have more issues than were loaded. */
  readonly cut: ReadonlySet<string>;
}

/** The open issues that hold queues back, as a batch sees them. */
export class ParkedQueues {
  readonly #issues: Map<string, string[]>;
  readonly #unreadable: Set<string>;
  readonly #cut: ReadonlySet<string>;

  constructor({ issues, unreadable, cut }: OpenQueues) {
    this.#issues = issues;
    this.#unreadable = unreadable;
    this.#cut = cut;
  }

  /** The issue that parks the key's events; undefined: none. */
  first(queue: string): string | undefined {
    return this.#issues.get(queue)?.[0];
  }

  /**
   * Do events of the queue have to wait?
   *
   * @param issueUuid of an event that waits already: only for those that were raised before it
   */
  isBlocked(queue: string, issueUuid: string | undefined): boolean {
    const first = this.first(queue);
    if (first === undefined) return issueUuid === undefined && this.#cut.has(queue);
    return issueUuid === undefined || first < issueUuid;
  }

  /** Does any event wait in the queue? */
  hasWaiting(queue: string): boolean {
    return this.first(queue) !== undefined || this.#cut.has(queue);
  }

  /** The issue that holds the queue back, if its event cannot be read. */
  firstUnreadable(queue: string): string | undefined {
    const first = this.first(queue);
    return first !== undefined && this.#unreadable.has(first) ? first : undefined;
  }

  /** Those behind it go on. */
  settle(queue: string, issueUuid: string): void {
    const left = (this.#issues.get(queue) ?? []).filter((uuid) => uuid !== issueUuid);
    if (left.length === 0) this.#issues.delete(queue);
    else this.#issues.set(queue, left);
  }

  /** Inserts in order of age: an issue that waited without a key may be older than those of the queue. */
  raise(queue: string, issueUuid: string, cause: IssueCause): void {
    if (cause === 'UNREADABLE') this.#unreadable.add(issueUuid);
    const issues = this.#issues.get(queue);
    if (issues === undefined) this.#issues.set(queue, [issueUuid]);
    else if (!issues.includes(issueUuid))
      issues.splice(issues.findLastIndex((uuid) => uuid < issueUuid) + 1, 0, issueUuid);
  }
}
