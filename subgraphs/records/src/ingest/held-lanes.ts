/** A key of an adaptor: events of it go one after another. */
export interface LaneKey {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly keyDigest: string;
}

export const laneOf = ({ adaptorUuid, domainVersionUuid, keyDigest }: LaneKey): string =>
  `${adaptorUuid}:${domainVersionUuid}:${keyDigest}`;

/** The open issues that hold lanes back, as a batch sees them. */
export class HeldLanes {
  readonly #issues: Map<string, string[]>;

  /** @param issues of each lane in the order in which they were raised */
  constructor(issues: Map<string, string[]>) {
    this.#issues = issues;
  }

  /** The issue that holds the lane back; undefined: none does. */
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
    return first !== undefined && (issueUuid === undefined || first < issueUuid);
  }

  /** Those behind it go on. */
  settle(lane: string, issueUuid: string): void {
    const left = (this.#issues.get(lane) ?? []).filter((uuid) => uuid !== issueUuid);
    if (left.length === 0) this.#issues.delete(lane);
    else this.#issues.set(lane, left);
  }

  /** In its place: one that waited without a key may be older than those of the lane. */
  raise(lane: string, issueUuid: string): void {
    const issues = this.#issues.get(lane);
    if (issues === undefined) this.#issues.set(lane, [issueUuid]);
    else if (!issues.includes(issueUuid))
      issues.splice(issues.findLastIndex((uuid) => uuid < issueUuid) + 1, 0, issueUuid);
  }
}
