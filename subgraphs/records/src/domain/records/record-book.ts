import type { JsonObject } from '@fds/json';
import { awaitsDeletion, type KnownContent } from '../routing/known-content.js';
import type { RecordKey } from './record-key.js';
import { NearRecords, type Matchings, type TokenChanges } from './near-records.js';
import { RemovedLinks, type RemovedLink, type RemovedLinkChanges } from './removed-links.js';

/** An adaptor's linkage as a batch sees it. */
export interface LinkState {
  readonly adaptorUuid: string;
  /** Hexadecimal SHA-256 of the key that the adaptor holds. */
  keyDigest: string;
  drKey: JsonObject;
  known: KnownContent;
}

/** A record as a batch sees it: the database's state, overlaid by the changes of earlier events of the batch. */
export interface RecordState {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  keyDigest: string;
  drKey: JsonObject;
  /** The data of a data-store record; null for federated ones. */
  json: JsonObject | null;
  readonly createdByUuid: string | null;
  /** As stored; undefined of a new record. */
  readonly changeVersion?: number;
  readonly links: Map<string, LinkState>;
  /** Content queued for adaptors that have not linked the record yet. */
  readonly expected: Map<string, KnownContent>;
  /** Set in the view of a caller who may not see the whole record. */
  readonly hidden?: HiddenPart;
}

/** Data that completes a record for validation against its model. It goes nowhere else. */
interface HiddenPart {
  readonly json: JsonObject;
  /** Names of the visible properties. */
  readonly visible: ReadonlySet<string>;
}

/** A batch's changes to the records, for the store to write. Each record and link once, in its final form. */
export interface RecordChanges {
  readonly inserted: readonly RecordState[];
  readonly updated: readonly RecordState[];
  readonly deleted: readonly string[];
  readonly savedLinks: readonly { readonly record: RecordState; readonly link: LinkState }[];
  readonly deletedLinks: readonly { readonly recordUuid: string; readonly adaptorUuid: string }[];
  readonly removedLinks: RemovedLinkChanges;
}

const keyOf = ({ domainVersionUuid, keyDigest }: RecordState): RecordKey => ({ domainVersionUuid, keyDigest });

const linkId = (recordUuid: string, adaptorUuid: string): string => `${recordUuid}:${adaptorUuid}`;

/** Keeps the records of one batch, finds them by uuid and key, and remembers the changes. */
export class RecordBook {
  readonly #records = new Map<string, RecordState>();
  /** By version, then by digest. */
  readonly #byKey = new Map<string, Map<string, RecordState[]>>();
  /** Keys of the records that the database has, and of their links by adaptor. */
  readonly #stored = new Map<string, RecordKey & { readonly links: ReadonlyMap<string, string> }>();
  readonly #storedLinks = new Map<string, { readonly recordUuid: string; readonly adaptorUuid: string }>();
  readonly #touched = new Set<RecordState>();
  readonly #touchedLinks = new Map<string, { readonly record: RecordState; readonly link: LinkState }>();
  readonly #deleted = new Set<string>();
  /** Undefined: every version matches exactly. */
  readonly #near: NearRecords<RecordState> | undefined;
  #forgetsReferences = false;
  readonly #gainedKeys: RecordKey[] = [];
  /** The messages to adaptors about records that they were ordered to delete. */
  readonly removedLinks: RemovedLinks;

  /**
   * @param stored the database's state of the records that the batch may touch
   * @param matchings of versions that do not match exactly; default none
   * @param removed the database's state of removed links; default none
   */
  constructor(stored: Iterable<RecordState>, matchings?: Matchings, removed: Iterable<RemovedLink> = []) {
    this.removedLinks = new RemovedLinks(removed);
    if (matchings !== undefined && matchings.size > 0) this.#near = new NearRecords(matchings);
    for (const record of stored) {
      const links = new Map([...record.links.values()].map((link) => [link.adaptorUuid, link.keyDigest]));
      this.#stored.set(record.uuid, { ...keyOf(record), links });
      for (const adaptorUuid of record.links.keys()) {
        this.#storedLinks.set(linkId(record.uuid, adaptorUuid), { recordUuid: record.uuid, adaptorUuid });
      }
      this.#index(record);
      this.#noteKeys(record, true);
    }
  }

  byUuid(uuid: string): RecordState | undefined {
    return this.#records.get(uuid);
  }

  /** Did the batch delete the record? */
  isDeleted(uuid: string): boolean {
    return this.#deleted.has(uuid);
  }

  /** Keys that a record or a link has lost, so that another may have them; another link may still have a link's key. */
  get freedKeys(): readonly RecordKey[] {
    const now = (uuid: string): RecordState | undefined => this.#records.get(uuid);
    return [...this.#stored].flatMap(([uuid, { domainVersionUuid, keyDigest, links }]) => {
      const lost = now(uuid)?.keyDigest === keyDigest ? [] : [keyDigest];
      for (const [adaptorUuid, digest] of links) {
        if (now(uuid)?.links.get(adaptorUuid)?.keyDigest !== digest && !lost.includes(digest)) lost.push(digest);
      }
      return lost.map((digest) => ({ domainVersionUuid, keyDigest: digest }));
    });
  }

  /** Was a record deleted that may have had references? */
  get forgetsReferences(): boolean {
    return this.#forgetsReferences;
  }

  /** Keys that a record or link has now and that it had not. */
  get gainedKeys(): readonly RecordKey[] {
    return this.#gainedKeys.filter((key) => this.byKey(key.domainVersionUuid, key.keyDigest).length > 0);
  }

  /** Does the database have the record? */
  isStored(uuid: string): boolean {
    return this.#stored.has(uuid);
  }

  /** Records whose own key, or a link's, is this one. */
  byKey(domainVersionUuid: string, keyDigest: string): readonly RecordState[] {
    const candidates = this.#byKey.get(domainVersionUuid)?.get(keyDigest);
    if (candidates === undefined) return [];
    return candidates.filter((record) => this.#has(record, keyDigest));
  }

  /** Every record of the version that the batch holds. */
  ofVersion(domainVersionUuid: string): readonly RecordState[] {
    return [...this.#records.values()].filter((record) => record.domainVersionUuid === domainVersionUuid);
  }

  /** Records that may match a key with these tokens; none for versions that match exactly. */
  near(domainVersionUuid: string, tokens: readonly bigint[]): readonly RecordState[] {
    const found = this.#near?.find(domainVersionUuid, tokens) ?? [];
    return [...found].filter(({ uuid }) => this.#records.has(uuid));
  }

  /** The batch's changes to the tokens of versions that do not match exactly. */
  tokenChanges(): TokenChanges {
    if (this.#near === undefined) return { added: [], deletedRecordUuids: [] };
    return {
      added: this.#near.added.filter(({ recordUuid }) => this.#records.has(recordUuid)),
      deletedRecordUuids: [...this.#deleted].filter((uuid) => this.#stored.has(uuid)),
    };
  }

  /** The known content of a record at an adaptor. Undefined: it was sent nothing, or deleted it long since. */
  knownAt(record: RecordState, adaptorUuid: string): KnownContent | undefined {
    const { domainVersionUuid, keyDigest } = record;
    return (
      record.links.get(adaptorUuid)?.known ??
      record.expected.get(adaptorUuid) ??
      this.removedLinks.find({ domainVersionUuid, keyDigest, adaptorUuid })?.known
    );
  }

  add(record: RecordState): void {
    this.#index(record);
    const { domainVersionUuid, keyDigest, links } = record;
    this.#gainedKeys.push({ domainVersionUuid, keyDigest });
    for (const link of links.values()) this.#gainedKeys.push({ domainVersionUuid, keyDigest: link.keyDigest });
    this.#noteKeys(record, false);
    this.#touched.add(record);
  }

  /** The record itself (not its links) was changed; call it after the change. */
  touch(record: RecordState): void {
    this.#touched.add(record);
    this.#moveKey(record, record.keyDigest);
    this.#near?.note(record, record.drKey, false);
  }

  /** Adds or replaces a link. */
  link(record: RecordState, link: LinkState): void {
    record.links.set(link.adaptorUuid, link);
    this.#forgetRemoved(record, link.adaptorUuid, link.keyDigest);
    this.#touchedLinks.set(linkId(record.uuid, link.adaptorUuid), { record, link });
    this.#moveKey(record, link.keyDigest);
    this.#near?.note(record, link.drKey, false);
  }

  /** Content is queued for an adaptor without a link. The record is to be touched after it. */
  expect(record: RecordState, adaptorUuid: string, known: KnownContent): void {
    record.expected.set(adaptorUuid, known);
    this.#forgetRemoved(record, adaptorUuid, record.keyDigest);
  }

  /** Keeps the messages to an adaptor that no longer has the record. */
  keepRemoved(record: RecordState, link: Pick<LinkState, 'adaptorUuid' | 'keyDigest' | 'known'>): void {
    const { adaptorUuid, keyDigest, known } = link;
    const { uuid: recordUuid, domainVersionUuid } = record;
    this.removedLinks.keep({ recordUuid, adaptorUuid, domainVersionUuid, keyDigest, known });
  }

  unlink(record: RecordState, adaptorUuid: string): void {
    record.links.delete(adaptorUuid);
    this.#touchedLinks.delete(linkId(record.uuid, adaptorUuid));
  }

  /** For adaptors that were ordered to delete it, their messages are kept. */
  delete(record: RecordState): void {
    if (record.json !== null) this.#forgetsReferences = true;
    const { keyDigest } = record;
    for (const link of record.links.values()) if (awaitsDeletion(link.known)) this.keepRemoved(record, link);
    for (const [adaptorUuid, known] of record.expected) {
      if (awaitsDeletion(known)) this.keepRemoved(record, { adaptorUuid, keyDigest, known });
    }
    this.#records.delete(record.uuid);
    this.#deleted.add(record.uuid);
    this.#touched.delete(record);
    for (const adaptorUuid of record.links.keys()) this.#touchedLinks.delete(linkId(record.uuid, adaptorUuid));
  }

  changes(): RecordChanges {
    const touched = [...this.#touched];
    return {
      inserted: touched.filter((record) => !this.#stored.has(record.uuid)),
      updated: touched.filter((record) => this.#stored.has(record.uuid)),
      deleted: [...this.#deleted].filter((uuid) => this.#stored.has(uuid)),
      savedLinks: [...this.#touchedLinks.values()],
      deletedLinks: [...this.#storedLinks.values()].filter(
        ({ recordUuid, adaptorUuid }) => this.#records.get(recordUuid)?.links.has(adaptorUuid) === false,
      ),
      removedLinks: this.removedLinks.changes(),
    };
  }

  #has(record: RecordState, keyDigest: string): boolean {
    return (
      this.#records.has(record.uuid) &&
      (record.keyDigest === keyDigest || [...record.links.values()].some((link) => link.keyDigest === keyDigest))
    );
  }

  #forgetRemoved({ domainVersionUuid }: RecordState, adaptorUuid: string, keyDigest: string): void {
    this.removedLinks.forget({ domainVersionUuid, keyDigest, adaptorUuid });
  }

  #index(record: RecordState): void {
    this.#records.set(record.uuid, record);
    this.#indexKey(record, record.keyDigest);
    for (const link of record.links.values()) this.#indexKey(record, link.keyDigest);
  }

  #noteKeys(record: RecordState, isStored: boolean): void {
    if (this.#near === undefined) return;
    this.#near.note(record, record.drKey, isStored);
    for (const link of record.links.values()) this.#near.note(record, link.drKey, isStored);
  }

  /** A key that is news to a known record takes the place of another. */
  #moveKey(record: RecordState, keyDigest: string): void {
    if (!this.#indexKey(record, keyDigest)) return;
    this.#gainedKeys.push({ domainVersionUuid: record.domainVersionUuid, keyDigest });
  }

  /** @returns whether it is news */
  #indexKey(record: RecordState, keyDigest: string): boolean {
    let byDigest = this.#byKey.get(record.domainVersionUuid);
    if (byDigest === undefined) this.#byKey.set(record.domainVersionUuid, (byDigest = new Map()));
    const records = byDigest.get(keyDigest);
    if (records?.includes(record) === true) return false;
    if (records === undefined) byDigest.set(keyDigest, [record]);
    else records.push(record);
    return true;
  }
}
