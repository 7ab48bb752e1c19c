import { canonicalJson, type JsonObject, type JsonValue } from '@fds/json';
import type { AdaptorView } from '../catalog.js';
import type { DecisionContext } from '../events/decision-context.js';
import type { EventOutcome } from '../events/event-outcome.js';
import type { RecordChanged } from '../events/incoming-event.js';
import { mergeRecord } from '../records/merge-record.js';
import type { RecordState } from '../records/record-book.js';
import { resolveReferences } from '../references/resolve-references.js';
import { contentOf, type ContentHashes } from '../routing/content-hashes.js';
import { nothingKnown, type KnownContent } from '../routing/known-content.js';
import type { RoutedEvent } from '../routing/compose-message.js';
import { planChange } from '../routing/plan-deliveries.js';
import { applyPlan } from '../routing/apply-plan.js';
import { changedProperties } from '../routing/stored-changes.js';

/** A record and the source's link to it, as they were before a presumed match. */
export interface StateBefore {
  readonly drKey: JsonObject;
  readonly keyDigest: string;
  readonly json: JsonObject | null;
  readonly link: { readonly drKey: JsonObject; readonly keyDigest: string } | null;
}

interface Presumed {
  readonly event: RecordChanged;
  readonly record: RecordState;
  readonly before: StateBefore;
}

type Restored = { readonly outcome: EventOutcome } | { readonly refusal: string };

const isEqual = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  canonicalJson(a ?? null) === canonicalJson(b ?? null);

/** The source's former link; undefined where the key now belongs to another record. */
const restoreLink = ({ book }: DecisionContext, { uuid }: AdaptorView, { record, before }: Presumed): void => {
  const { link } = before;
  const isTaken = (digest: string): boolean =>
    book
      .byKey(record.domainVersionUuid, digest)
      .some((other) => other !== record && other.links.get(uuid)?.keyDigest === digest);
  if (link === null || isTaken(link.keyDigest)) book.unlink(record, uuid);
  // its present values are not known: its next report is news
  else book.link(record, { adaptorUuid: uuid, drKey: link.drKey, keyDigest: link.keyDigest, known: nothingKnown });
};

/** The values of the event no longer count as known, so that the next report of them is routed. */
const forget = (known: KnownContent, said: ContentHashes): KnownContent => ({
  ...known,
  hashes: Object.fromEntries(Object.entries(known.hashes).filter(([name, hash]) => said[name] !== hash)),
});

/** The right values are with other adaptors, not here: destinations of the wrong values count as not having them. */
const restoreFederated = ({ book }: DecisionContext, { event, record, before }: Presumed): EventOutcome => {
  // a discovery was not routed
  const said = event.linkOnly ? {} : contentOf(event.record);
  for (const link of record.links.values()) {
    if (link.adaptorUuid !== event.sourceAdaptorUuid) book.link(record, { ...link, known: forget(link.known, said) });
  }
  for (const [adaptorUuid, known] of record.expected) record.expected.set(adaptorUuid, forget(known, said));
  const isFree = book.byKey(record.domainVersionUuid, before.keyDigest).every((other) => other === record);
  if (record.keyDigest === event.key.digest && isFree) {
    record.keyDigest = before.keyDigest;
    record.drKey = before.drKey;
  }
  book.touch(record);
  const { uuid: recordUuid, domainVersionUuid, drKey, json } = record;
  const { transactionUuid } = event;
  const named = { recordUuid, domainVersionUuid, drKey, ...(json === null ? {} : { json }) };
  return { deliveries: [], change: { action: 'PUT', actorUuid: undefined, transactionUuid, ...named } };
};

/** The record without the event's values, where no later change has replaced them. */
const jsonBefore = (context: DecisionContext, { event, record, before }: Presumed): JsonObject => {
  const [current, old] = [record.json ?? {}, before.json ?? {}];
  const merge = mergeRecord(event, { ...record, json: old });
  if (!merge.valid) return current;
  const own = {
    uuid: record.uuid,
    domainVersionUuid: event.version.uuid,
    drKey: merge.key.drKey,
    keyDigest: merge.key.digest,
  };
  const targets = { catalog: context.catalog, targets: context.references };
  const resolved = resolveReferences(targets, event.version.model, merge.json, { own, before: old });
  const said = resolved.valid ? resolved.stored : merge.json;
  const names = new Set([...Object.keys(current), ...Object.keys(old)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = isEqual(current[name], said[name]) ? old[name] : current[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
};

const restoreStored = (context: DecisionContext, presumed: Presumed): Restored => {
  const { book, references, catalog } = context;
  const { event, record } = presumed;
  const { version } = event;
  const validation = version.model.validate(jsonBefore(context, presumed));
  if (!validation.valid) return { refusal: 'the record as it was is not valid now' };
  const drKey = version.model.drKeyOf(validation.record);
  const keyDigest = version.model.keyDigest(drKey);
  if (book.byKey(version.uuid, keyDigest).some((other) => other !== record)) {
    return { refusal: 'another record has the key that the record had' };
  }
  const own = { uuid: record.uuid, domainVersionUuid: version.uuid, drKey, keyDigest };
  const resolved = resolveReferences({ catalog, targets: references }, version.model, validation.record, {
    own,
    before: record.json,
  });
  if (!resolved.valid) return { refusal: 'the record as it was refers to records that do not exist now' };
  const changed = changedProperties(record.json, resolved.stored);
  record.json = resolved.stored;
  record.drKey = drKey;
  record.keyDigest = keyDigest;
  book.touch(record);
  references.keep(record.uuid, resolved.references);
  const routed: RoutedEvent = {
    uuid: context.newUuid(),
    source: { uuid: null, zoneUuid: version.zoneUuid },
    version,
    transactionUuid: context.newUuid(),
    createTime: event.createTime,
    drKey,
  };
  const content = contentOf(resolved.keyed);
  const data = { json: resolved.keyed, content, changed };
  const plan = planChange(context, routed, record, data);
  applyPlan(context, record, plan);
  const { deliveries, denied, consulted, notes } = plan;
  const named = { recordUuid: record.uuid, domainVersionUuid: version.uuid, drKey };
  const { uuid, transactionUuid, createTime } = routed;
  return {
    outcome: {
      event: {
        ...named,
        uuid,
        transactionUuid,
        createTime,
        action: 'PUT',
        matchStatus: 'RESOLVED',
        sourceAdaptorUuid: null,
        denied,
      },
      deliveries,
      consulted,
      notes,
      change: { ...named, action: 'PUT', actorUuid: undefined, transactionUuid, json: resolved.stored },
    },
  };
};

/**
 * Gives a record back what a presumed match took. The values of a data-store record are here, and destinations of the wrong
 * values get the right ones; those of a federated record are not, and a discovery has changed none: see docs/reference/matching.md.
 */
export const restoreRecord = (context: DecisionContext, source: AdaptorView, presumed: Presumed): Restored => {
  restoreLink(context, source, presumed);
  const { version, linkOnly } = presumed.event;
  return version.domainType === 'SERVICE_DATA_STORE' && !linkOnly
    ? restoreStored(context, presumed)
    : { outcome: restoreFederated(context, presumed) };
};
