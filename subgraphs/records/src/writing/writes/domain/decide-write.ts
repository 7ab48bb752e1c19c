import { canonicalJson, type JsonObject } from '@fds/json';
import type { DomainVersionView } from '../../../domain/catalog.js';
import { contentOf } from '../../../domain/routing/content-hashes.js';
import { changedProperties } from '../../../domain/routing/stored-changes.js';
import { planChange, planDeletion } from '../../../domain/routing/plan-deliveries.js';
import { applyPlan } from '../../../domain/routing/apply-plan.js';
import type { RecordState } from '../../../domain/records/record-book.js';
import { mergePatch } from '../../../domain/references/merge-patch.js';
import { resolveReferences, type ResolvedRecord } from '../../../domain/references/resolve-references.js';
import { readNewRecord, type ReadRecord } from './read-new-record.js';
import {
  changeOf,
  outcomeOf,
  refused,
  refusedBy,
  routedEvent,
  type StoredChange,
  type WriteContext,
  type WriteDecision,
} from './write-context.js';

/** A data-store record that fits its model. */
interface StorableRecord extends ReadRecord {
  readonly json: JsonObject;
}

const isStorable = (record: ReadRecord): record is StorableRecord => record.json !== null;

/** A caller who may not see the key of the other record does not learn its uuid. */
const keyTaken = (
  { guard }: WriteContext,
  version: DomainVersionView,
  holder: RecordState,
  keyDigest: string,
): WriteDecision =>
  guard === undefined || guard.mayFindByKey(version, holder, keyDigest)
    ? refused('DUPLICATE_DR_KEY', 'a record with this DR Key exists', { details: { uuid: holder.uuid } })
    : refused('DUPLICATE_DR_KEY', 'this DR Key is taken');

/** @returns the refusal where a reference points at nothing */
const resolve = (
  { catalog, references, guard }: WriteContext,
  version: DomainVersionView,
  read: StorableRecord,
  stored: { readonly uuid: string; readonly json: JsonObject | null },
): ResolvedRecord | WriteDecision => {
  const { drKey, keyDigest } = read;
  const { model, uuid: domainVersionUuid } = version;
  const own = { uuid: stored.uuid, domainVersionUuid, drKey, keyDigest };
  const resolution = resolveReferences({ catalog, targets: references }, model, read.json, {
    own,
    before: stored.json,
    // the writer has sent the key of a new record
    ...(guard === undefined || stored.json === null
      ? {}
      : { isOwnFound: (target) => guard.mayFindOwn(version, stored.uuid, target) }),
  });
  if (resolution.valid) return resolution;
  const { errors } = resolution;
  return errors.every(({ code }) => code === 'AMBIGUOUS_REFERENCE')
    ? refused('AMBIGUOUS_REFERENCE', 'a reference of the record fits several records', { errors })
    : refused('UNKNOWN_REFERENCE', 'the record refers to a record that does not exist', { errors });
};

const addRecord = (
  { book, writerUuid }: WriteContext,
  version: DomainVersionView,
  { drKey, keyDigest }: ReadRecord,
  content: { readonly uuid: string; readonly json: JsonObject | null },
): RecordState => {
  const { uuid, json } = content;
  // member by member: a spread costs ten times as much, and an import adds many records
  const record: RecordState = {
    uuid,
    json,
    domainVersionUuid: version.uuid,
    keyDigest,
    drKey,
    createdByUuid: writerUuid,
    links: new Map(),
    expected: new Map(),
  };
  book.add(record);
  return record;
};

/** Routes the record with its sources' values. */
const routeNow = (
  context: WriteContext,
  version: DomainVersionView,
  record: RecordState,
  change: StoredChange,
): WriteDecision['outcome'] => {
  const { keyed, logged, before } = change;
  // nothing is computed for the many records without a receiver
  const goesNowhere = context.keptEvents === 'ROUTED' && context.catalog.destinations(version).length === 0;
  if (goesNowhere) return { deliveries: [], change: changeOf(context, record, logged, context.newUuid()) };
  const routed = { ...routedEvent(context, version, record.drKey), creates: before === null };
  const changed = changedProperties(before, record.json ?? {});
  const plan = planChange(context, routed, record, { json: keyed, content: contentOf(keyed), changed });
  applyPlan(context, record, plan);
  return outcomeOf(context, routed, record, { ...change, plan, changed });
};

/** Routes the record, or adds the write to those that are routed together. */
const route = (
  context: WriteContext,
  version: DomainVersionView,
  record: RecordState,
  change: StoredChange,
): WriteDecision['outcome'] => {
  const { folded } = context;
  if (folded === undefined) return routeNow(context, version, record, change);
  const first = folded.get(record.uuid);
  const whole = first === undefined ? change : { ...change, before: first.before };
  const isNew = first?.action === 'POST';
  folded.set(record.uuid, { ...whole, ...(isNew ? { action: 'POST', logged: 'POST' } : {}), version, record });
  return { deliveries: [] };
};

/** The outcomes of the changes that writes made together, one at a time. Writes that undo each other make none. */
export const routeFolded = function* (context: WriteContext): Generator<WriteDecision['outcome'] | undefined, void> {
  for (const { version, record, ...change } of context.folded?.values() ?? []) {
    const { before } = change;
    const isUndone = before !== null && canonicalJson(before) === canonicalJson(record.json ?? {});
    yield isUndone ? undefined : routeNow(context, version, record, change);
  }
};

/** Adds a record; for a federated version its entry in the catalogue, which is not routed. */
export const decideCreation = (context: WriteContext, version: DomainVersionView, read: ReadRecord): WriteDecision => {
  const refusal = context.guard?.refuseCreation(version, read.given);
  if (refusal !== undefined) return refusedBy(refusal);
  const [holder] = context.book.byKey(version.uuid, read.keyDigest);
  if (holder !== undefined) return keyTaken(context, version, holder, read.keyDigest);
  const uuid = context.newUuid();
  const result = { outcome: 'CREATED', recordUuid: uuid } as const;
  if (!isStorable(read)) {
    const record = addRecord(context, version, read, { uuid, json: null });
    return { result, outcome: { deliveries: [], change: changeOf(context, record, 'POST', context.newUuid()) } };
  }
  const resolved = resolve(context, version, read, { uuid, json: null });
  if ('result' in resolved) return resolved;
  const record = addRecord(context, version, read, { uuid, json: resolved.stored });
  context.references.keep(uuid, resolved.references);
  return {
    result,
    outcome: route(context, version, record, {
      action: 'POST',
      logged: 'POST',
      keyed: resolved.keyed,
      before: null,
    }),
  };
};

const storeChange = (
  context: WriteContext,
  version: DomainVersionView,
  record: RecordState,
  { read, logged }: { readonly read: StorableRecord; readonly logged: 'PUT' | 'PATCH' },
): WriteDecision => {
  const taken = context.book.byKey(version.uuid, read.keyDigest).find((other) => other !== record);
  if (taken !== undefined) return keyTaken(context, version, taken, read.keyDigest);
  const resolved = resolve(context, version, read, record);
  if ('result' in resolved) return resolved;
  const recordUuid = record.uuid;
  if (record.json !== null && canonicalJson(resolved.stored) === canonicalJson(record.json)) {
    return { result: { outcome: 'UNCHANGED', recordUuid }, outcome: { deliveries: [] } };
  }
  const before = record.json;
  record.json = resolved.stored;
  record.keyDigest = read.keyDigest;
  record.drKey = read.drKey;
  context.book.touch(record);
  context.references.keep(recordUuid, resolved.references);
  const outcome = route(context, version, record, { action: 'PUT', logged, keyed: resolved.keyed, before });
  return { result: { outcome: 'UPDATED', recordUuid }, outcome };
};

const federated = (): WriteDecision =>
  refused('FEDERATED_RECORD', 'the data of a federated record is changed at its sources, not here');

/** Replaces the record that has the key, or adds one. */
export const decideReplacement = (
  context: WriteContext,
  version: DomainVersionView,
  read: ReadRecord,
): WriteDecision => {
  const holders = context.book.byKey(version.uuid, read.keyDigest);
  const holder = holders.find((record) => record.keyDigest === read.keyDigest) ?? holders[0];
  if (holder === undefined) return decideCreation(context, version, read);
  if (!isStorable(read)) {
    return { result: { outcome: 'UNCHANGED', recordUuid: holder.uuid }, outcome: { deliveries: [] } };
  }
  const { guard } = context;
  if (guard === undefined) return storeChange(context, version, holder, { read, logged: 'PUT' });
  // a record that is not found by its key is answered as one that does not exist, as far as keys stay unique
  if (!guard.mayFindByKey(version, holder, read.keyDigest)) return decideCreation(context, version, read);
  const keys = new Set(version.model.drKeyProperties.map((name) => name.toLowerCase()));
  const changed = read.given.filter((name) => !keys.has(name.toLowerCase()));
  const refusal = guard.refuseChange(version, holder.uuid, changed);
  if (refusal !== undefined) return refusedBy(refusal);
  const json = guard.keepHidden(version, holder.uuid, read.json, holder.json ?? {});
  return storeChange(context, version, holder, { read: { ...read, json }, logged: 'PUT' });
};

/** The key that a patch gives to a record, where it gives another one; hexadecimal. */
export const patchedKeyDigest = (
  version: DomainVersionView,
  record: RecordState | undefined,
  patch: JsonObject,
): string | undefined => {
  const keyNames = new Set(version.model.drKeyProperties.map((name) => name.toLowerCase()));
  if (record === undefined || !Object.keys(patch).some((name) => keyNames.has(name.toLowerCase()))) return undefined;
  const read = readNewRecord(version, mergePatch(version.model, record.json ?? {}, patch));
  return read instanceof Error || read.keyDigest === record.keyDigest ? undefined : read.keyDigest;
};

/** Merges a patch into a record and holds the whole against the model. */
export const decidePatch = (
  context: WriteContext,
  version: DomainVersionView,
  record: RecordState,
  patch: JsonObject,
): WriteDecision => {
  if (version.domainType === 'FEDERATED') return federated();
  const refusal = context.guard?.refuseChange(version, record.uuid, Object.keys(patch));
  if (refusal !== undefined) return refusedBy(refusal);
  const read = readNewRecord(version, mergePatch(version.model, record.json ?? {}, patch));
  if (read instanceof Error) return { result: { outcome: 'REFUSED', error: read }, outcome: { deliveries: [] } };
  if (!isStorable(read)) return federated();
  return storeChange(context, version, record, { read, logged: 'PATCH' });
};

/** Removes a data-store record, unless another one refers to it, and tells the adaptors that have it. */
export const decideRemoval = (
  context: WriteContext,
  version: DomainVersionView,
  record: RecordState,
): WriteDecision => {
  const refusal = context.guard?.refuseDeletion(version, record.uuid);
  if (refusal !== undefined) return refusedBy(refusal);
  const referrers = context.references.countReferrers(record.uuid);
  // a caller with restricted access does not learn how many there are
  if (referrers > 0 && context.guard !== undefined) return refused('IN_USE', 'other records refer to this one');
  if (referrers > 0) {
    const many = referrers === 1 ? '1 record refers' : `${referrers} records refer`;
    return refused('IN_USE', `${many} to this one`, { details: { referrers } });
  }
  const routed = routedEvent(context, version, record.drKey);
  const plan = planDeletion(context, routed, record);
  applyPlan(context, record, plan);
  context.book.delete(record);
  const { transactionUuid } = routed;
  return {
    result: { outcome: 'DELETED', recordUuid: record.uuid, transactionUuid, adaptors: [] },
    outcome: outcomeOf(context, routed, record, { action: 'DELETE', plan }),
  };
};
