import type { SqlSession } from '@fds/database';
import type { Catalog } from '../../domain/catalog.js';
import { matchingsOf } from '../../domain/records/near-records.js';
import { RecordBook, type RecordState } from '../../domain/records/record-book.js';
import type { ReferenceBook } from '../../domain/references/reference-book.js';
import type { SentDeletions } from './domain/decide-federated-deletion.js';
import { patchedKeyDigest } from './domain/decide-write.js';
import { haveLinks } from '../../store/records/have-links.js';
import { loadRecords, type LoadedRecords } from '../../store/records/load-records.js';
import { loadSentDeletions } from '../../store/events/load-sent-deletions.js';
import { openReferenceBook, type LookupSight } from '../../store/references/open-reference-book.js';
import type { PreparedWrite } from './prepare-writes.js';

/** The database's state of everything that writes may touch. */
export interface Books {
  readonly book: RecordBook;
  readonly references: ReferenceBook;
  /** By record, of federated ones that are to be deleted. */
  readonly sentDeletions: ReadonlyMap<string, SentDeletions>;
}

/** The keys that patches give to records, to find out who has them. */
const patchedKeys = (writes: readonly PreparedWrite[], stored: readonly RecordState[]) => {
  const byUuid = new Map(stored.map((record) => [record.uuid, record]));
  return writes.flatMap((write) => {
    if (write.kind !== 'PATCH') return [];
    const { version, recordUuid, patch } = write;
    const keyDigest = patchedKeyDigest(version, byUuid.get(recordUuid), patch);
    return keyDigest === undefined ? [] : [{ domainVersionUuid: version.uuid, keyDigest }];
  });
};

/**
 * LOOK_UP reads the holders of the keys that writes give. BELIEVE_FREE reads none where all writes are of whole records and no
 * link has a key of their versions: a key that a record has fails the transaction as a unique violation (SQLSTATE 23505).
 */
export type KeySearch = 'LOOK_UP' | 'BELIEVE_FREE';

/** Reads and locks the records that are named, and those that have the keys which writes give. */
export const loadTouched = async (
  client: SqlSession,
  writes: readonly PreparedWrite[],
  search: KeySearch = 'LOOK_UP',
): Promise<LoadedRecords> => {
  if (search === 'BELIEVE_FREE' && writes.every((write) => 'read' in write)) {
    const versionUuids = [...new Set(writes.map(({ version }) => version.uuid))];
    if (!(await haveLinks(client, versionUuids))) return { records: [], removedLinks: [] };
  }
  const keys = writes.flatMap((write) =>
    'read' in write ? [{ domainVersionUuid: write.version.uuid, keyDigest: write.read.keyDigest }] : [],
  );
  const uuids = writes.flatMap((write) => ('recordUuid' in write ? [write.recordUuid] : []));
  const named = await loadRecords(client, { keys, uuids });
  const holders = await loadRecords(client, { keys: patchedKeys(writes, named.records), uuids: [] });
  const records = new Map([...named.records, ...holders.records].map((record) => [record.uuid, record]));
  return { records: [...records.values()], removedLinks: [...named.removedLinks, ...holders.removedLinks] };
};

const isFederated = ({ version }: PreparedWrite): boolean => version.domainType === 'FEDERATED';

/** Writes with the records that they touch. */
export interface TouchedRecords {
  readonly catalog: Catalog;
  readonly writes: readonly PreparedWrite[];
  readonly touched: LoadedRecords;
  /** The records that references may find. Default: all. */
  readonly seeing?: LookupSight | undefined;
}

/** Opens the books of writes. */
export const openBooks = async (
  client: SqlSession,
  { catalog, writes, touched, seeing }: TouchedRecords,
): Promise<Books> => {
  const { records: stored, removedLinks } = touched;
  const book = new RecordBook(stored, matchingsOf(writes.map(({ version }) => version)), removedLinks);
  const deletions = writes.filter((write) => write.kind === 'DELETE');
  const references = await openReferenceBook(client, {
    catalog,
    book,
    stored,
    written: writes.flatMap((write) => {
      if (write.kind === 'DELETE') return [];
      const json = 'read' in write ? write.read.json : write.patch;
      return json === null ? [] : [{ version: write.version, json }];
    }),
    deletedUuids: deletions.flatMap((write) => (isFederated(write) ? [] : [write.recordUuid])),
    seeing,
  });
  const sentDeletions = new Map<string, SentDeletions>();
  for (const { recordUuid } of deletions.filter(isFederated)) {
    sentDeletions.set(recordUuid, await loadSentDeletions(client, recordUuid));
  }
  return { book, references, sentDeletions };
};
