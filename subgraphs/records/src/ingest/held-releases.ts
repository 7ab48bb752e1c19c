import type { IssueCause } from '../domain/events/event-outcome.js';
import type { ReleasedEvents } from '../store/issues/released-events.js';
import { laneOf, type LaneKey } from './held-lanes.js';

/** What has been released and not been tried yet; the same twice is once. */
export class HeldReleases {
  #all = false;
  readonly #causes = new Set<IssueCause>();
  readonly #versions = new Set<string>();
  readonly #adaptors = new Set<string>();
  readonly #lanes = new Map<string, LaneKey>();

  add(released: ReleasedEvents): void {
    switch (released.kind) {
      case 'ALL':
        this.#all = true;
        return;
      case 'CAUSE':
        this.#causes.add(released.cause);
        return;
      case 'VERSIONS':
        for (const uuid of released.uuids) this.#versions.add(uuid);
        return;
      case 'ADAPTORS':
        for (const uuid of released.uuids) this.#adaptors.add(uuid);
        return;
      case 'LANES':
        for (const lane of released.lanes) this.#lanes.set(laneOf(lane), lane);
    }
  }

  /** Takes all of it away. */
  take(): readonly ReleasedEvents[] {
    const taken: ReleasedEvents[] = this.#all
      ? [{ kind: 'ALL' }]
      : [...this.#causes].map((cause) => ({ kind: 'CAUSE', cause }));
    if (!this.#all && this.#versions.size > 0) taken.push({ kind: 'VERSIONS', uuids: [...this.#versions] });
    if (!this.#all && this.#adaptors.size > 0) taken.push({ kind: 'ADAPTORS', uuids: [...this.#adaptors] });
    if (this.#lanes.size > 0) taken.push({ kind: 'LANES', lanes: [...this.#lanes.values()] });
    this.#all = false;
    for (const collection of [this.#causes, this.#versions, this.#adaptors, this.#lanes]) collection.clear();
    return taken;
  }
}
