import type { GovernanceRules } from '@fds/governance-rules';
import type { JsonObject } from '@fds/json';
import type { DomainVersionView } from '../catalog.js';
import type { Denial } from '../events/event-outcome.js';
import type { RecordState } from '../records/record-book.js';
import { askGovernance, type Addressee, type AskedEvent, type ChangedContent } from './ask-governance.js';
import { without, type ContentHashes } from './content-hashes.js';
import type { Consultation } from './count-decisions.js';
import { removedFrom, type RemovedProperty } from './destination-note.js';
import { keptBackBy } from './kept-back.js';
import { awaitsDeletion, newProperties, type KnownContent } from './known-content.js';

/** The decision on one destination of a change. */
export interface DestinationDecision {
  readonly consulted: readonly Consultation[];
  /** The properties that governance removes and that would be new to the destination. */
  readonly removed: readonly RemovedProperty[];
  /** The properties that the destination lacks because of governance. */
  readonly withheld: readonly string[];
  /** Governance keeps the change, or everything new in it, from the destination. */
  readonly denial?: Denial;
  /** Undefined: the destination gets no message. */
  readonly message?: {
    readonly json: JsonObject;
    readonly content: ContentHashes;
    /** The properties whose value is new to the destination. */
    readonly changed: readonly string[];
    readonly removedProperties: readonly string[];
  };
}

/** The record itself when nothing is left out. */
export const withoutMembers = (record: JsonObject, names: readonly string[]): JsonObject =>
  names.length === 0 ? record : Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/**
 * The content for a destination. A value that the source only repeats does not replace another value that the destination got
 * or set: governance keeps that value from the source.
 */
const contentFor = (
  data: ChangedContent,
  { model }: DomainVersionView,
  known: KnownContent | undefined,
): ChangedContent => {
  if (data.repeated === undefined || known === undefined || awaitsDeletion(known)) return data;
  const stale = data.repeated.filter(
    (name) =>
      known.hashes[name] !== undefined &&
      known.hashes[name] !== data.content[name] &&
      !model.drKeyProperties.includes(name),
  );
  if (stale.length === 0) return data;
  return { ...data, json: withoutMembers(data.json, stale), content: without(data.content, stale) };
};

/** Decides whether a destination gets a message about a change, and which. Pure: book and outbox do not change. */
export const decideDestination = (
  governance: GovernanceRules,
  event: AskedEvent,
  record: Pick<RecordState, 'uuid'>,
  data: ChangedContent,
  addressee: Addressee,
): DestinationDecision => {
  const { destination, known } = addressee;
  const { uuid: adaptorUuid } = destination;
  const reduced = contentFor(data, event.version, known);
  const permitted = askGovernance(governance, event, record, reduced, addressee);
  const { consulted, deniedBy, removedProperties, omitted, withheld } = permitted;
  const removed = removedFrom(consulted, removedProperties, reduced.content, known);
  if (deniedBy !== undefined) {
    return { consulted, removed, withheld, denial: { adaptorUuid, chain: deniedBy.chain, aclUuid: deniedBy.aclUuid } };
  }
  const content = without(reduced.content, omitted);
  const changed = newProperties(content, known);
  if (known === undefined || changed.length > 0) {
    return {
      consulted,
      removed,
      withheld,
      message: { json: withoutMembers(reduced.json, omitted), content, changed, removedProperties },
    };
  }
  const by = keptBackBy(event, reduced, permitted, known);
  if (by === undefined) return { consulted, removed, withheld };
  return { consulted, removed, withheld, denial: { adaptorUuid, chain: by.chain, aclUuid: by.aclUuid } };
};
