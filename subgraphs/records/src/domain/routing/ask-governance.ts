import type { Decision, GovernanceRules } from '@fds/governance-rules';
import type { JsonObject } from '@fds/json';
import type { AdaptorView, DomainVersionView } from '../catalog.js';
import type { DeliveredAction } from '../events/event-outcome.js';
import type { RecordState } from '../records/record-book.js';
import type { Consultation } from './count-decisions.js';
import type { ContentHashes } from './content-hashes.js';
import { awaitsDeletion, type KnownContent } from './known-content.js';

/** Where an event comes from: an adaptor; or the data store, in the zone that stands for it. */
export interface EventSource {
  /** Null: no adaptor. */
  readonly uuid: string | null;
  readonly zoneUuid: string;
}

/** The data of an event that governance needs. */
export interface AskedEvent {
  readonly source: EventSource;
  readonly version: DomainVersionView;
}

/** The content of a change. */
export interface ChangedContent {
  /** The properties that may be sent, and their content: of a data-store record all that it has. */
  readonly json: JsonObject;
  readonly content: ContentHashes;
  /** Those that the event changed, of a data-store record. Undefined: all are the event's own. */
  readonly changed?: ReadonlySet<string> | undefined;
  /** Properties of a federated record that the source only repeated. A destination that has other values keeps them. Default: none. */
  readonly repeated?: readonly string[];
  /** Properties of other sources, which the chains let to the destination. Default: none. */
  readonly permitted?: ReadonlySet<string>;
  /** The values that the destination held when a reconciliation asked it. Undefined: it was not asked. */
  readonly read?: JsonObject;
}

/** An adaptor, or the server's own store in the zone that owns the domain. */
interface DestinationPlace {
  /** Null: the store. */
  readonly uuid: string | null;
  readonly zoneUuid: string;
}

export interface Addressee {
  readonly destination: Pick<AdaptorView, 'uuid' | 'zoneUuid'>;
  readonly action: DeliveredAction;
  readonly known: KnownContent | undefined;
}

/** The part that a destination may be sent. */
export interface Permitted {
  readonly consulted: readonly Consultation[];
  /** By which entry all that the event itself says is kept back; then nothing is sent. */
  readonly deniedBy?: Decision['deniedBy'];
  /** Names that governance keeps back. */
  readonly removedProperties: readonly string[];
  /** Names that do not go for any reason. */
  readonly omitted: readonly string[];
  /** For a data-store record: the properties that the destination lacks from now on, until they change again. */
  readonly withheld: readonly string[];
}

/** Asks the chains of both zones. */
export const consult = (
  governance: GovernanceRules,
  event: AskedEvent,
  record: Pick<RecordState, 'uuid'>,
  message: {
    readonly destination: DestinationPlace;
    readonly action: DeliveredAction;
    readonly properties: readonly string[];
  },
): Consultation => {
  const { destination, action, properties } = message;
  const { source, version } = event;
  const decision = governance.decide({
    action,
    properties,
    sourceZoneUuid: source.zoneUuid,
    sourceAdaptorUuid: source.uuid ?? undefined,
    destinationZoneUuid: destination.zoneUuid,
    destinationAdaptorUuid: destination.uuid ?? undefined,
    domainVersionUuid: version.uuid,
    drUuid: record.uuid,
  });
  return {
    sourceZoneUuid: source.zoneUuid,
    destinationZoneUuid: destination.zoneUuid,
    destinationAdaptorUuid: destination.uuid,
    decision,
  };
};

/** The properties of a data-store record, by the owner of their values in a message. */
interface Parts {
  /** The source's: its changes, and the key that it named. */
  readonly own: string[];
  /** The store's: the destination is not known to hold them. */
  readonly stored: string[];
  /** The destination lacks them because who changed them may not give them to it. */
  readonly withheld: string[];
  /** The destination has these values, and does not need them. */
  readonly alreadyKnown: string[];
}

const partsOf = (
  { version }: AskedEvent,
  { json, content }: ChangedContent,
  { action, known }: Addressee,
  changed: ReadonlySet<string>,
): Parts => {
  const parts: Parts = { own: [], stored: [], withheld: [], alreadyKnown: [] };
  const kept = known?.withheld ?? [];
  const holds = awaitsDeletion(known) ? undefined : known?.hashes;
  const { drKeyProperties } = version.model;
  for (const name of Object.keys(json)) {
    if (changed.has(name) || drKeyProperties.includes(name)) parts.own.push(name);
    else if (kept.includes(name)) parts.withheld.push(name);
    else if (holds?.[name] !== content[name] || known?.failed[name] !== undefined) parts.stored.push(name);
    else if (action === 'PUT') parts.alreadyKnown.push(name);
  }
  return parts;
};

/**
 * Finds the part of a change that a destination may be sent. The event's values are evaluated with its source as the owner;
 * other values of a data-store record that the destination is not known to have belong to the store: its zone is the owner.
 */
export const askGovernance = (
  governance: GovernanceRules,
  event: AskedEvent,
  record: Pick<RecordState, 'uuid'>,
  data: ChangedContent,
  addressee: Addressee,
): Permitted => {
  const { destination, action, known } = addressee;
  const ask = (source: EventSource, properties: readonly string[]): Consultation =>
    consult(governance, { source, version: event.version }, record, { destination, action, properties });

  const parts = data.changed === undefined ? undefined : partsOf(event, data, addressee, data.changed);
  const consultation = ask(
    event.source,
    parts?.own ?? Object.keys(data.json).filter((name) => data.permitted?.has(name) !== true),
  );
  const { outcome, deniedBy, removedProperties } = consultation.decision;
  const isStored = event.version.domainType === 'SERVICE_DATA_STORE';
  const lacked = isStored ? removedProperties : [];
  if (parts === undefined || outcome === 'DENIED') {
    const before = isStored ? (known?.withheld ?? []).filter((name) => data.changed?.has(name) === false) : [];
    const withheld = lacked.length === 0 ? before : [...new Set([...before, ...lacked])];
    const consulted = [consultation];
    if (outcome === 'DENIED') return { consulted, deniedBy, removedProperties, omitted: removedProperties, withheld };
    return { consulted, removedProperties, omitted: removedProperties, withheld };
  }
  const withheld = lacked.length === 0 ? parts.withheld : [...parts.withheld, ...lacked];
  if (parts.stored.length === 0) {
    const removed = withheld.length === 0 ? removedProperties : [...removedProperties, ...parts.withheld];
    const omitted = parts.alreadyKnown.length === 0 ? removed : [...removed, ...parts.alreadyKnown];
    return { consulted: [consultation], removedProperties: removed, omitted, withheld };
  }
  const store = ask({ uuid: null, zoneUuid: event.version.zoneUuid }, parts.stored);
  // the message goes without it: this does not deny the message
  const { deniedBy: _kept, ...decision } = store.decision;
  const consulted = [consultation, { ...store, decision: { ...decision, outcome: 'ALLOWED' as const } }];
  const removed = [...removedProperties, ...parts.withheld, ...store.decision.removedProperties];
  return { consulted, removedProperties: removed, omitted: [...removed, ...parts.alreadyKnown], withheld };
};
