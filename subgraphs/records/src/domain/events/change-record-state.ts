import type { JsonObject } from '@fds/json';
import type { AdaptorView } from '../catalog.js';
import type { MergedRecord } from '../records/merge-record.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import type { ContentHashes } from '../routing/content-hashes.js';
import { changes, nothingKnown, type KnownContent } from '../routing/known-content.js';
import { changedProperties } from '../routing/stored-changes.js';
import type { DecisionContext } from './decision-context.js';
import type { FreshChange } from './drop-stale-values.js';
import type { FoundRecord } from './find-changed-record.js';
import type { RecordChanged } from './incoming-event.js';
import { linkSource } from './link-source.js';
import { stateBefore } from './raise-presumption.js';

/** A record after a change, and the facts about the change that its routing needs. */
export interface ChangedState {
  readonly record: RecordState;
  /** The content that the source was known to have before. */
  readonly before: KnownContent | undefined;
  /** The properties that the source changed in a data-store record. Undefined: the record is federated. */
  readonly changed: ReturnType<typeof changedProperties> | undefined;
  /** The source reports nothing that it was not known to have. */
  readonly isEcho: boolean;
  /** The change created it. */
  readonly isNew: boolean;
  /** JSON text of the record before a presumed match; null: the match is not presumed. */
  readonly unpresumed: string | null;
}

const createRecord = (
  context: DecisionContext,
  event: RecordChanged,
  { uuid, json }: { readonly uuid: string; readonly json: JsonObject },
): RecordState => {
  const record: RecordState = {
    uuid,
    domainVersionUuid: event.version.uuid,
    keyDigest: event.key.digest,
    drKey: event.key.drKey,
    json: event.version.domainType === 'SERVICE_DATA_STORE' ? json : null,
    createdByUuid: event.sourceAdaptorUuid,
    links: new Map(),
    expected: new Map(),
  };
  context.book.add(record);
  return record;
};

const storeMerged = (book: RecordBook, record: RecordState, merged: Pick<MergedRecord, 'json' | 'key'>): void => {
  record.json = merged.json;
  if (record.keyDigest !== merged.key.digest) {
    record.keyDigest = merged.key.digest;
    record.drKey = merged.key.drKey;
  }
  book.touch(record);
};

/** The new values of the source, over the values that it was known to have. */
export const newsOf = (reported: ContentHashes, { hashes }: KnownContent): ContentHashes =>
  Object.fromEntries(Object.entries(reported).filter(([name, hash]) => hashes[name] !== hash));

/**
 * Changes the record book: the record is created or merged, the source holds it, and its references are those of the
 * change.
 *
 * @param held the values that the source reported, also those that governance keeps from the store
 */
export const changeRecordState = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  { known, uuid, match }: FoundRecord,
  { change, crossing }: FreshChange,
  held: ContentHashes,
): ChangedState => {
  const { book, references } = context;
  const { merge, resolution, reported } = change;
  const { stored } = resolution;
  const isStored = event.version.domainType === 'SERVICE_DATA_STORE';
  const record = known ?? createRecord(context, event, { uuid, json: stored });
  const before = book.knownAt(record, source.uuid);
  // its new values are its own, even where the store has them from another adaptor
  const changed = isStored
    ? changedProperties(known?.json ?? null, stored, Object.keys(newsOf(reported, before ?? nothingKnown)))
    : undefined;
  const isPresumed = match.status === 'PRESUMED_NEW' || match.status === 'PRESUMED_MATCH';
  const isEcho = known !== undefined && !isPresumed && !changes(reported, before);
  const unpresumed = match.status === 'PRESUMED_MATCH' ? stateBefore(record, source.uuid) : null;
  linkSource(book, record, event, { reported: held, crosses: crossing !== undefined });
  if (isStored && !isEcho) {
    if (known !== undefined) storeMerged(book, record, { json: stored, key: merge.key });
    references.keep(uuid, resolution.references);
  }
  return { record, before, changed, isEcho, isNew: known === undefined, unpresumed };
};
