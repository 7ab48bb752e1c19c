import type { JsonObject } from '@fds/json';
import type { AdaptorView } from '../catalog.js';
import type { RecordKey } from '../records/record-key.js';
import type { RecordState } from '../records/record-book.js';
import { mergeRecord, type MergedRecord } from '../records/merge-record.js';
import { resolveReferences, type Resolution } from '../references/resolve-references.js';
import { contentOf, type ContentHashes } from '../routing/content-hashes.js';
import type { DecisionContext } from './decision-context.js';
import type { EventOutcome } from './event-outcome.js';
import type { RecordChanged } from './incoming-event.js';
import { raiseIssue } from './raise-issue.js';

/** The record that a change is about. */
export interface ChangedRecord {
  /** Undefined: the change creates it. */
  readonly known: RecordState | undefined;
  readonly uuid: string;
}

/** The members of `record` that `names` has too. */
export const pickMembers = (record: JsonObject, names: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(names, name)));

/** Looks up the references of a data-store record; federated ones say whatever their sources say. */
const resolveMerged = (
  { catalog, references }: DecisionContext,
  { version }: RecordChanged,
  { json, key }: MergedRecord,
  stored: { readonly uuid: string; readonly json: JsonObject | null },
): Resolution => {
  if (version.domainType === 'FEDERATED') return { valid: true, stored: json, keyed: json, references: [] };
  const own = { uuid: stored.uuid, domainVersionUuid: version.uuid, drKey: key.drKey, keyDigest: key.digest };
  const resolution = resolveReferences({ catalog, targets: references }, version.model, json, {
    own,
    before: stored.json,
  });
  if (resolution.valid) return resolution;
  return { ...resolution, errors: resolution.errors.map((error) => ({ ...error, pointer: `/json${error.pointer}` })) };
};

/** An event read against the record that it is about. */
export interface ReadChange {
  readonly merge: MergedRecord;
  readonly resolution: Extract<Resolution, { readonly valid: true }>;
  /** Hashes of the reported values. */
  readonly reported: ContentHashes;
}

/** The key that the event names. */
export const ownKey = ({ version, key }: RecordChanged): RecordKey => ({
  domainVersionUuid: version.uuid,
  keyDigest: key.digest,
});

/** Reads an event against its record: the merged record has to be valid, with a free key and known references. */
export const readChange = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  { known, uuid }: ChangedRecord,
): ReadChange | { readonly refused: EventOutcome } => {
  const merge = mergeRecord(event, known);
  if (!merge.valid) {
    const { errors } = merge;
    // a part is valid once there is a whole
    const awaits = known === undefined ? [ownKey(event)] : [];
    return { refused: raiseIssue(context, source, { event, reason: 'NOT_VALID', errors, record: known, awaits }) };
  }
  const taken = context.book.byKey(event.version.uuid, merge.key.digest).some((other) => other !== known);
  if (taken && event.version.domainType === 'SERVICE_DATA_STORE') {
    return {
      refused: raiseIssue(context, source, { event, reason: 'KEY_TAKEN', record: known, awaits: [ownKey(event)] }),
    };
  }
  const resolution = resolveMerged(context, event, merge, { uuid, json: known?.json ?? null });
  if (!resolution.valid) {
    const { errors, awaited: awaits } = resolution;
    return { refused: raiseIssue(context, source, { event, reason: 'NOT_VALID', errors, record: known, awaits }) };
  }
  return { merge, resolution, reported: contentOf(pickMembers(resolution.keyed, merge.reported)) };
};
