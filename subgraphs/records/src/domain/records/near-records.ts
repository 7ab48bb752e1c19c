import type { CompiledMatching } from '@fds/matching';
import type { JsonObject } from '@fds/json';
import type { DomainVersionView } from '../catalog.js';

/** The algorithms of versions that do not match exactly, by the version's uuid. */
export type Matchings = ReadonlyMap<string, CompiledMatching>;

/** The algorithms of those versions that do not match exactly. */
export const matchingsOf = (versions: readonly Pick<DomainVersionView, 'uuid' | 'matching'>[]): Matchings =>
  new Map(versions.flatMap(({ uuid, matching }) => (matching === undefined ? [] : [[uuid, matching] as const])));

/** A token of a key that a record did not have when the batch began. */
interface AddedToken {
  readonly domainVersionUuid: string;
  readonly token: bigint;
  readonly recordUuid: string;
}

/** A batch's changes to the tokens of records. Those of keys that a record has no more stay: they do no harm. */
export interface TokenChanges {
  readonly added: readonly AddedToken[];
  readonly deletedRecordUuids: readonly string[];
}

/** Finds the records of a batch by tokens of their keys. */
export class NearRecords<Entry extends { readonly uuid: string; readonly domainVersionUuid: string }> {
  readonly #matchings: Matchings;
  /** By version, then by token. */
  readonly #byToken = new Map<string, Map<bigint, Set<Entry>>>();
  readonly #added: AddedToken[] = [];

  constructor(matchings: Matchings) {
    this.#matchings = matchings;
  }

  /** The record has the key; `isStored`: the database knows its tokens. */
  note(record: Entry, drKey: JsonObject, isStored: boolean): void {
    const { domainVersionUuid, uuid: recordUuid } = record;
    const matching = this.#matchings.get(domainVersionUuid);
    if (matching === undefined) return;
    let byToken = this.#byToken.get(domainVersionUuid);
    if (byToken === undefined) this.#byToken.set(domainVersionUuid, (byToken = new Map()));
    for (const token of matching.tokens.stored(drKey)) {
      const records = byToken.get(token) ?? new Set();
      if (records.has(record)) continue;
      byToken.set(token, records.add(record));
      if (!isStored) this.#added.push({ domainVersionUuid, token, recordUuid });
    }
  }

  find(domainVersionUuid: string, tokens: readonly bigint[]): ReadonlySet<Entry> {
    const byToken = this.#byToken.get(domainVersionUuid);
    return new Set(tokens.flatMap((token) => [...(byToken?.get(token) ?? [])]));
  }

  get added(): readonly AddedToken[] {
    return this.#added;
  }
}
