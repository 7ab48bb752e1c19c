import type { KnownContent } from '../routing/known-content.js';

/**
 * The messages to an adaptor about a record that it was ordered to delete. They outlive its link, because reports from
 * before it applied the DELETE may still arrive.
 */
export interface RemovedLink {
  /** The record, which may be gone too. */
  readonly recordUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  /** Hexadecimal SHA-256 of the key that the adaptor holds. */
  readonly keyDigest: string;
  readonly known: KnownContent;
}

/** A batch's changes to them, for the store to write. */
export interface RemovedLinkChanges {
  readonly kept: readonly RemovedLink[];
  readonly forgotten: readonly RemovedLink[];
}

type LinkPlace = Pick<RemovedLink, 'domainVersionUuid' | 'keyDigest' | 'adaptorUuid'>;

const placeOf = ({ domainVersionUuid, keyDigest, adaptorUuid }: LinkPlace): string =>
  `${domainVersionUuid}:${keyDigest}:${adaptorUuid}`;

/** The removed links of one batch: one for each adaptor and key. */
export class RemovedLinks {
  readonly #stored = new Map<string, RemovedLink>();
  readonly #links = new Map<string, RemovedLink>();

  /** @param stored the database's state of the keys that the batch may touch */
  constructor(stored: Iterable<RemovedLink>) {
    for (const link of stored) {
      this.#stored.set(placeOf(link), link);
      this.#links.set(placeOf(link), link);
    }
  }

  find(place: LinkPlace): RemovedLink | undefined {
    return this.#links.size === 0 ? undefined : this.#links.get(placeOf(place));
  }

  /** Those of a key. */
  ofKey(domainVersionUuid: string, keyDigest: string): readonly RemovedLink[] {
    if (this.#links.size === 0) return [];
    return [...this.#links.values()].filter(
      (link) => link.domainVersionUuid === domainVersionUuid && link.keyDigest === keyDigest,
    );
  }

  keep(link: RemovedLink): void {
    this.#links.set(placeOf(link), link);
  }

  /** The adaptor has a link again, or is sent the record, or cannot report on the former state now. */
  forget(place: LinkPlace): void {
    if (this.#links.size > 0) this.#links.delete(placeOf(place));
  }

  changes(): RemovedLinkChanges {
    return {
      kept: [...this.#links].flatMap(([place, link]) => (this.#stored.get(place) === link ? [] : [link])),
      forgotten: [...this.#stored].flatMap(([place, link]) => (this.#links.has(place) ? [] : [link])),
    };
  }
}
