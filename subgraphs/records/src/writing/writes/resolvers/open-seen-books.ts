import type { SqlClient } from '@fds/database';
import type { Catalog, DomainVersionView } from '../../../domain/catalog.js';
import type { IncomingEvent } from '../../../domain/events/incoming-event.js';
import { nearKeysOf } from '../../../domain/events/near-keys-of.js';
import { seeKey } from '../../../domain/records/find-visible.js';
import { matchingsOf } from '../../../domain/records/near-records.js';
import { RecordBook } from '../../../domain/records/record-book.js';
import { seeRecord, seeRemovedLink } from '../../../domain/records/see-record.js';
import type { ReferenceBook } from '../../../domain/references/reference-book.js';
import { loadRecords, type LoadedRecords, type WantedRecords } from '../../../store/records/load-records.js';
import { openReferenceBook, type LookupSight } from '../../../store/references/open-reference-book.js';

/** A change that is decided on without being made. */
type SupposedEvent = Exclude<IncomingEvent, { readonly kind: 'FAULTY' }>;

/** The records that a change may touch, as the caller may see them. */
export interface SeenBooks {
  readonly book: RecordBook;
  readonly references: ReferenceBook;
}

const seeLoaded = (
  { records, removedLinks }: LoadedRecords,
  version: DomainVersionView,
  seeing: LookupSight | undefined,
): LoadedRecords => {
  if (seeing === undefined) return { records, removedLinks };
  const { sight } = seeing;
  return {
    records: records.flatMap((record) =>
      record.domainVersionUuid === version.uuid ? (seeRecord(sight, version, record) ?? []) : [],
    ),
    removedLinks: removedLinks.flatMap((link) => seeRemovedLink(sight, version, link) ?? []),
  };
};

/** Reads the records of the event. Where the caller sees none with its key, those that are near are looked for. */
const loadSeen = async (
  client: SqlClient,
  { event, version }: { readonly event: SupposedEvent; readonly version: DomainVersionView },
  seeing: LookupSight | undefined,
): Promise<LoadedRecords> => {
  const { key, drUuid } = event;
  const wanted: WantedRecords = {
    keys: key === undefined ? [] : [{ domainVersionUuid: version.uuid, keyDigest: key.digest }],
    uuids: drUuid === undefined ? [] : [drUuid],
  };
  const near = nearKeysOf([event]);
  if (seeing === undefined) return loadRecords(client, { ...wanted, near });
  const named = seeLoaded(await loadRecords(client, wanted), version, seeing);
  const isFound = named.records.some(
    ({ keyDigest, links }) =>
      keyDigest === key?.digest || [...links.values()].some((link) => link.keyDigest === key?.digest),
  );
  if (isFound || near.length === 0) return named;
  // a record whose key is hidden must not keep the others from being looked for
  const around = seeLoaded(await loadRecords(client, { keys: [], uuids: [], near }), version, seeing);
  const known = new Set(named.records.map(({ uuid }) => uuid));
  return { ...named, records: [...named.records, ...around.records.filter(({ uuid }) => !known.has(uuid))] };
};

/**
 * Opens the books of a change that is only supposed, over what the caller may see: a decision over them does not depend on
 * anything else. Referrers of a record are counted only for a caller who may see everything.
 *
 * @param seeing undefined: the caller may see everything
 */
export const openSeenBooks = async (
  client: SqlClient,
  catalog: Catalog,
  supposed: { readonly event: SupposedEvent; readonly version: DomainVersionView },
  seeing: LookupSight | undefined,
): Promise<SeenBooks> => {
  const { event, version } = supposed;
  const { records: stored, removedLinks } = await loadSeen(client, supposed, seeing);
  const book = new RecordBook(stored, matchingsOf([version]), removedLinks);
  const isStored = version.domainType === 'SERVICE_DATA_STORE';
  const isDeletion = isStored && event.kind === 'RECORD_DELETED';
  const references = await openReferenceBook(client, {
    catalog,
    book,
    stored,
    written: isStored && event.kind === 'RECORD_CHANGED' ? [{ version, json: event.record }] : [],
    deletedUuids: isDeletion && seeing === undefined ? stored.map(({ uuid }) => uuid) : [],
    seeing: seeing && { ...seeing, keyOf: seeKey },
  });
  return { book, references };
};
