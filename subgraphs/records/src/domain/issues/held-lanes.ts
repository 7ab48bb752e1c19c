import type { IssueCause } from '../events/event-outcome.js';

/** A key of an adaptor: events of it go one after another. */
export interface LaneKey {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly keyDigest: string;
}

export const laneOf = ({ adaptorUuid, domainVersionUuid, keyDigest }: LaneKey): string =>
  `${adaptorUuid}:${domainVersionUuid}:${keyDigest}`;

/** Open issues of lanes as they were loaded. */
export interface OpenLanes {
  /** By lane, in the order in which they were raised. */
  readonly issues: Map<string, string[]>;
  /** Issues whose events cannot be read. */
  readonly unreadable: Set<string>;
  /** Lanes that may have more issues than were loaded. */
  readonly cut: ReadonlySet<string>;
}

/** The open issues that hold lanes back, as a batch sees them. */
export class HeldLanes {
  readonly #issues: Map<string, string[]>;
  readonly #unreadable: Set<string>;
  readonly #cut: ReadonlySet<string>;

  constructor({ issues, unreadable, cut }: OpenLanes) {
    this.#issues = issues;
    this.#unreadable = unreadable;
    this.#cut = cut;
  }

  /** The issue that parks the key's events; undefined: none. */
  first(lane: string): string | undefined {
    return this.#issues.get(lane)?.[0];
  }

  /**
   * Do events of the lane have to wait?
   *
   * @param issueUuid of an event that waits already: only for those that were raised before it
   */
  isHeld(lane: string, issueUuid: string | undefined): boolean {
    const first = this.first(lane);
    if (first === undefined) return issueUuid === undefined && this.#cut.has(lane);
    return issueUuid === undefined || first < issueUuid;
  }

  /** Does any event wait in the lane? */
  hasWaiting(lane: string): boolean {
    return this.first(lane) !== undefined || this.#cut.has(lane);
  }

  /** The issue that holds the lane back, if its event cannot be read. */
  firstUnreadable(lane: string): string | undefined {
    const first = this.first(lane);
    return first !== undefined && this.#unreadable.has(first) ? first : undefined;
  }

  /** Those behind it go on. */
  settle(lane: string, issueUuid: string): void {
    const left = (this.#issues.get(lane) ?? []).filter((uuid) => uuid !== issueUuid);
    if (left.length === 0) this.#issues.delete(lane);
    else this.#issues.set(lane, left);
  }

  /** Inserts in order of age: an issue that waited without a key may be older than those of the queue. */
  raise(lane: string, issueUuid: string, cause: IssueCause): void {
    if (cause === 'UNREADABLE') this.#unreadable.add(issueUuid);
    const issues = this.#issues.get(lane);
    if (issues === undefined) this.#issues.set(lane, [issueUuid]);
    else if (!issues.includes(issueUuid))
      issues.splice(issues.findLastIndex((uuid) => uuid < issueUuid) + 1, 0, issueUuid);
  }
}
