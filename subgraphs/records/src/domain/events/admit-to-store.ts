import type { GovernanceRules } from '@fds/governance-rules';
import type { AdaptorView, DomainVersionView } from '../catalog.js';
import { withoutMembers } from '../routing/decide-destination.js';
import { consult } from '../routing/ask-governance.js';
import { contentOf } from '../routing/content-hashes.js';
import type { Consultation } from '../routing/count-decisions.js';
import { changes } from '../routing/known-content.js';
import type { DecisionContext } from './decision-context.js';
import type { FreshChange } from './drop-stale-values.js';
import type { DeliveredAction, Denial, StoredPart } from './event-outcome.js';
import type { FoundRecord } from './find-changed-record.js';
import type { RecordChanged } from './incoming-event.js';
import { pickMembers, readChange, type ReadChange } from './read-change.js';

/**
 * Asks the chains about an event at the server's own store: a destination in the zone that owns the domain
 * (docs/reference/governance.md#the-store-is-a-destination).
 */
export const consultForStore = (
  governance: GovernanceRules,
  source: AdaptorView,
  version: DomainVersionView,
  message: { readonly recordUuid: string; readonly action: DeliveredAction; readonly properties: readonly string[] },
): Consultation =>
  consult(
    governance,
    { source, version },
    { uuid: message.recordUuid },
    { destination: { uuid: null, zoneUuid: version.zoneUuid }, ...message },
  );

/** The denial of a consultation for the store by its entry that denies one of these properties; default: the whole. */
export const denialAtStore = ({ decision }: Consultation, properties?: readonly string[]): Denial | undefined => {
  const denying = decision.applied.find(
    (applied) => applied.result === 'DENY' && properties?.some((name) => applied.properties.includes(name)) === true,
  );
  const by = properties === undefined ? decision.deniedBy : denying;
  return by && { adaptorUuid: null, chain: by.chain, aclUuid: by.aclUuid };
};

/** A change as far as the store takes it. */
export interface AdmittedChange extends FreshChange {
  /** Undefined: the store was not asked, because the record is federated or the event has no news. */
  readonly consultation?: Consultation;
  readonly stored?: StoredPart;
}

/** The store takes no part of a change. */
export interface DeniedAtStore {
  readonly denial: Denial;
  readonly consultation: Consultation;
}

/** Names of the reported properties that have another value in the store. */
const newsToStore = ({ resolution, merge }: ReadChange, { known }: FoundRecord): readonly string[] => {
  const content = contentOf(pickMembers(resolution.stored, merge.reported));
  const before = contentOf(known?.json ?? {});
  return Object.keys(content).filter((name) => content[name] !== before[name]);
};

/**
 * Takes from a change of a data-store record the properties that the chains keep from the store. The
 * store takes no part of the change where no other property is new to it, or where a new record needs the removed properties.
 */
export const admitToStore = (
  context: DecisionContext,
  source: AdaptorView,
  found: FoundRecord,
  whole: FreshChange,
): AdmittedChange | DeniedAtStore => {
  const { fresh, change } = whole;
  const { version } = fresh;
  const { known, uuid } = found;
  if (version.domainType === 'FEDERATED') return whole;
  if (known !== undefined && !changes(change.reported, context.book.knownAt(known, source.uuid))) return whole;

  const action = known === undefined ? 'POST' : 'PUT';
  const properties = Object.keys(change.merge.reported);
  const consultation = consultForStore(context.governance, source, version, { recordUuid: uuid, action, properties });
  const { outcome, removedProperties } = consultation.decision;
  const stored = ({ resolution, merge }: ReadChange): StoredPart => ({
    zoneUuid: version.zoneUuid,
    action,
    json: pickMembers(resolution.keyed, merge.reported),
    removedProperties,
  });
  if (outcome !== 'DENIED' && removedProperties.length === 0) {
    return { ...whole, consultation, stored: stored(change) };
  }

  const [news, removed] = [newsToStore(change, found), new Set(removedProperties)];
  const removedNews = news.filter((name) => removed.has(name));
  const denied = (by: readonly string[] | undefined): DeniedAtStore | undefined => {
    const denial = denialAtStore(consultation, by);
    return denial && { denial, consultation };
  };
  const lacksKey = known === undefined && version.model.drKeyProperties.some((name) => removed.has(name));
  const hasNothingLeft = removedNews.length > 0 && removedNews.length === news.length;
  if (outcome === 'DENIED' || lacksKey || hasNothingLeft) {
    const ended = denied(outcome === 'DENIED' ? undefined : removedProperties);
    if (ended !== undefined) return ended;
  }
  const lower = new Set(removedProperties.map((name) => name.toLowerCase()));
  const names = Object.keys(fresh.record).filter((name) => lower.has(name.toLowerCase()));
  const reduced: RecordChanged = { ...fresh, record: withoutMembers(fresh.record, names) };
  const admitted = readChange(context, source, reduced, { known, uuid });
  if ('refused' in admitted) {
    // the whole was valid: the removed properties are what it lacks
    const ended = denied(removedProperties);
    if (ended !== undefined) return ended;
    throw new TypeError('no entry of the chains removed the properties that the record lacks');
  }
  return { ...whole, fresh: reduced, change: admitted, consultation, stored: stored(admitted) };
};
