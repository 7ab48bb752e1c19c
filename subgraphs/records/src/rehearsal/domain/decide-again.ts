import type { GovernanceRules } from '@fds/governance-rules';
import type { DeliveredAction } from '../../domain/events/event-outcome.js';
import { consult } from '../../domain/routing/ask-governance.js';
import { decideDestination } from '../../domain/routing/decide-destination.js';
import { nothingKnown, type KnownContent } from '../../domain/routing/known-content.js';
import type { RecordedAdaptor, RecordedEvent } from './recorded-event.js';
import type { Deviation } from './rehearsed-records.js';

/** The decision on a destination. */
export interface Decided {
  readonly status: 'QUEUED' | 'DENIED' | 'NOT_SENT';
  /** Null: no message was considered. */
  readonly action: DeliveredAction | null;
  /** Names of the properties of the message, and those that governance removes. */
  readonly names: readonly string[];
  readonly removed: readonly string[];
}

/** The state of a destination when it is decided on. */
interface Scene {
  readonly action: DeliveredAction;
  /** Undefined: it does not have the record. */
  readonly known: ReadonlySet<string> | undefined;
  readonly withheld: readonly string[];
  /** The properties that the chains are asked about. */
  readonly names: readonly string[];
}

export const notSent: Decided = { status: 'NOT_SENT', action: null, names: [], removed: [] };

const settled: ReadonlySet<string | null> = new Set(['SOURCE', 'DISCOVERY', 'ECHO', 'INACTIVE', 'NOT_CAPABLE']);

/** Is there no message for a reason on which chains have no influence? */
export const isSettled = ({ reason }: Pick<RecordedAdaptor, 'reason'>): boolean => settled.has(reason);

/** The action of a message to a destination that has the record, or has not. */
const actionOf = (destination: RecordedAdaptor, { record }: Deviation): DeliveredAction => {
  if (record === 'LACKS') return 'POST';
  if (record === 'HAS') return 'PUT';
  return destination.action ?? (destination.isKnown ? 'PUT' : 'POST');
};

const sceneOf = (event: RecordedEvent, destination: RecordedAdaptor, deviation: Deviation): Scene => {
  const action = actionOf(destination, deviation);
  const isStored = event.version.domainType === 'SERVICE_DATA_STORE';
  const withheld = isStored ? [...new Set([...destination.withheld, ...deviation.lacks, ...deviation.stale])] : [];
  const isKnown = deviation.record === 'UNCHANGED' ? destination.isKnown : deviation.record === 'HAS';
  const repeats = (name: string): boolean => event.changed?.has(name) === false;
  // a value that the source only repeats replaces no other value
  const isStale = (name: string): boolean => !isStored && deviation.stale.has(name) && repeats(name);
  const held = isStored ? [] : event.names.filter((name) => deviation.has.has(name));
  const names = [...new Set([...destination.names, ...held])].filter((name) => !isStale(name));
  if (!isKnown) return { action, known: undefined, withheld, names: destination.names };
  const isNew = (name: string): boolean => {
    if (!isStored && (deviation.lacks.has(name) || deviation.stale.has(name))) return true;
    if (deviation.record === 'HAS') return !repeats(name);
    // it got the value that the recorded decisions kept from it
    if (deviation.has.has(name)) return !repeats(name);
    return destination.news.has(name);
  };
  return { action, known: new Set(names.filter((name) => !isNew(name))), withheld, names };
};

/** Values are not kept: a property has the same one everywhere, or the destination lacks it. */
const value = '=';

const asKnown = ({ known, withheld }: Scene): KnownContent | undefined =>
  known === undefined
    ? undefined
    : { ...nothingKnown, hashes: Object.fromEntries([...known].map((name) => [name, value])), withheld };

const decideDeletion = (
  governance: GovernanceRules,
  event: RecordedEvent,
  destination: RecordedAdaptor,
  { record }: Deviation,
): Decided => {
  const had = destination.reason === null || destination.reason === 'DENIED';
  if (record === 'LACKS' || (record === 'UNCHANGED' && !had)) return notSent;
  const { decision } = consult(
    governance,
    event,
    { uuid: event.recordUuid },
    {
      destination: destination.place,
      action: 'DELETE',
      properties: [],
    },
  );
  return { status: decision.outcome === 'DENIED' ? 'DENIED' : 'QUEUED', action: 'DELETE', names: [], removed: [] };
};

/** Decides on a destination as routing does: the state of the destination is the recorded one, with the deviation of the rehearsal. */
export const decideAgain = (
  governance: GovernanceRules,
  event: RecordedEvent,
  destination: RecordedAdaptor,
  deviation: Deviation,
): Decided => {
  if (isSettled(destination)) return notSent;
  if (event.action === 'DELETE') return decideDeletion(governance, event, destination, deviation);
  const scene = sceneOf(event, destination, deviation);
  if (!destination.actions.has(scene.action)) return { ...notSent, action: scene.action };
  const { names } = scene;
  const { place } = destination;
  // all names of an event are known where a message has them; elsewhere those that are new
  if (destination.reason === 'NOTHING_NEW' && scene.known?.size === names.length) return notSent;
  const { message, denial, removed } = decideDestination(
    governance,
    event,
    { uuid: event.recordUuid },
    {
      json: Object.fromEntries(names.map((name) => [name, null])),
      content: Object.fromEntries(names.map((name) => [name, value])),
      changed: event.version.domainType === 'FEDERATED' ? undefined : (event.changed ?? new Set(names)),
    },
    { destination: place, action: scene.action, known: asKnown(scene) },
  );
  if (message !== undefined) {
    // smaller messages may fit, but their sizes are not kept
    if (destination.reason === 'TOO_LARGE') return { ...notSent, action: scene.action };
    const sent = Object.keys(message.content);
    return { status: 'QUEUED', action: scene.action, names: sent, removed: message.removedProperties };
  }
  if (denial === undefined) return { ...notSent, action: scene.action };
  return { status: 'DENIED', action: scene.action, names: [], removed: removed.map(({ property }) => property) };
};
