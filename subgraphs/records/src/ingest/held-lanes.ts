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

  /**
   * Do events of the lane have to wait?
   *
   * @param issueUuid of an event that waits already: only for those in front of it
   */
  isHeld(lane: string, issueUuid: string | undefined): boolean {
    const [first] = this.#issues.get(lane) ?? [];
    return first !== undefined && first !== issueUuid;
  }

  /** Those behind it go on. */
  settle(lane: string, issueUuid: string): void {
    const left = (this.#issues.get(lane) ?? []).filter((uuid) => uuid !== issueUuid);
    if (left.length === 0) this.#issues.delete(lane);
    else this.#issues.set(lane, left);
  }

  raise(lane: string, issueUuid: string): void {
    const issues = this.#issues.get(lane);
    if (issues === undefined) this.#issues.set(lane, [issueUuid]);
    else issues.push(issueUuid);
  }
}
