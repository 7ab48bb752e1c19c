import type { AppliedAcl, OperationalDecision } from '@fds/governance-rules';
import { parseJson, stringifyJson } from '@fds/json';
import type { DeliveredAction, EventOutcome } from '../events/event-outcome.js';
import type { Match } from '../records/match-record.js';
import type { Consultation } from './count-decisions.js';

/** A message that a change would become. */
interface DryRunMessage {
  readonly destinationZoneUuid: string;
  /** Null: the server's own store. */
  readonly destinationAdaptorUuid: string | null;
  readonly action: string;
  /** JSON text. */
  readonly jsonData: string;
  readonly removedProperties: readonly string[];
}

type DryRunChain = 'OPERATIONAL' | AppliedAcl['chain'];

/** An entry that decides something. A null destination is the server's own store; with the operational chain it means all. */
interface DryRunAcl extends Omit<AppliedAcl, 'chain'> {
  readonly chain: DryRunChain;
  readonly destinationAdaptorUuid: string | null;
}

/** A destination that gets nothing. Null: all of them by the operational chain, the server's own store by another one. */
interface DryRunDenial {
  readonly chain: DryRunChain;
  /** Null: an entry that may not be known. */
  readonly aclUuid: string | null;
  readonly destinationAdaptorUuid: string | null;
}

/** The effect of a change. */
export interface DryRun {
  readonly action: string;
  readonly drUuid: string | null;
  readonly matchStatus: string;
  readonly messages: readonly DryRunMessage[];
  readonly denied: readonly DryRunDenial[];
  readonly acls: readonly DryRunAcl[];
}

/** The place of an entry: the zone whose chain it is in; null: the operational chain. */
export interface EntryPlace {
  readonly chain: DryRunChain;
  readonly zoneUuid: string | null;
  readonly aclUuid: string;
}

/** A change that was decided on, over the records that the caller may see. */
export interface SupposedChange {
  readonly kind: 'RECORD_CHANGED' | 'RECORD_DELETED';
  /** As the change names it. */
  readonly drUuid: string | undefined;
  /** The data that the decision starts from. */
  readonly match: Match;
  readonly outcome: EventOutcome;
}

/** The visible part of an outcome in addition to the records. */
export interface DryRunView {
  readonly tells: (destination: { readonly zoneUuid: string; readonly adaptorUuid: string | null }) => boolean;
  readonly names: (entry: EntryPlace) => boolean;
}

const zoneOfChain = ({ chain }: AppliedAcl, { sourceZoneUuid, destinationZoneUuid }: Consultation): string =>
  chain === 'OUTBOUND' ? sourceZoneUuid : destinationZoneUuid;

const ofOperation = ({ applied }: OperationalDecision, { names }: DryRunView): DryRunAcl[] =>
  applied === undefined || !names({ chain: 'OPERATIONAL', zoneUuid: null, aclUuid: applied.aclUuid })
    ? []
    : [{ chain: 'OPERATIONAL', destinationAdaptorUuid: null, properties: [], ...applied }];

const ofMessages = (consultation: Consultation, { names }: DryRunView): DryRunAcl[] => {
  const { decision, destinationAdaptorUuid } = consultation;
  return decision.applied
    .filter((applied) => names({ ...applied, zoneUuid: zoneOfChain(applied, consultation) }))
    .map((applied) => ({ ...applied, destinationAdaptorUuid }));
};

/** As the event would have it, also where it is denied (docs/reference/governance.md#dry-run). */
const actionOf = ({ kind, match: { status } }: SupposedChange): DeliveredAction => {
  if (kind === 'RECORD_DELETED') return 'DELETE';
  return status === 'NEW' || status === 'PRESUMED_NEW' ? 'POST' : 'PUT';
};

const denialsOf = (
  { event, operation }: EventOutcome,
  consulted: readonly Consultation[],
  { names }: DryRunView,
): DryRunDenial[] => {
  const denial = (place: EntryPlace, destinationAdaptorUuid: string | null): DryRunDenial => ({
    chain: place.chain,
    aclUuid: names(place) ? place.aclUuid : null,
    destinationAdaptorUuid,
  });
  const byOperation = operation?.outcome === 'DENIED' ? operation.applied : undefined;
  return [
    ...(byOperation === undefined
      ? []
      : [denial({ chain: 'OPERATIONAL', zoneUuid: null, aclUuid: byOperation.aclUuid }, null)]),
    ...(event?.denied ?? []).flatMap(({ adaptorUuid, chain, aclUuid }) => {
      const asked = consulted.find(({ destinationAdaptorUuid }) => destinationAdaptorUuid === adaptorUuid);
      if (asked === undefined) return [];
      const zoneUuid = chain === 'OUTBOUND' ? asked.sourceZoneUuid : asked.destinationZoneUuid;
      return denial({ chain, zoneUuid, aclUuid }, adaptorUuid);
    }),
  ];
};

/** Describes the outcome of a change. */
export const describeDryRun = (change: SupposedChange, view: DryRunView): DryRun => {
  const { match, outcome, drUuid, kind } = change;
  const { event, issue, operation, deliveries, stored } = outcome;
  const consulted = (outcome.consulted ?? []).filter(({ destinationZoneUuid: zoneUuid, ...each }) =>
    view.tells({ zoneUuid, adaptorUuid: each.destinationAdaptorUuid }),
  );
  const zones = new Map(consulted.map((each) => [each.destinationAdaptorUuid, each.destinationZoneUuid]));
  const isNew = kind === 'RECORD_CHANGED' && actionOf(change) === 'POST';
  return {
    action: actionOf(change),
    drUuid: 'record' in match ? match.record.uuid : isNew || issue !== undefined ? null : (drUuid ?? null),
    matchStatus: issue?.matchStatus ?? event?.matchStatus ?? (isNew ? 'PRESUMED_NEW' : 'RESOLVED'),
    messages: [
      ...(stored === undefined || !zones.has(null)
        ? []
        : [
            {
              destinationZoneUuid: stored.zoneUuid,
              destinationAdaptorUuid: null,
              action: stored.action,
              jsonData: stringifyJson(stored.json),
              removedProperties: stored.removedProperties,
            },
          ]),
      ...deliveries.flatMap(({ adaptorUuid: destinationAdaptorUuid, action, removedProperties, message }) => {
        const destinationZoneUuid = zones.get(destinationAdaptorUuid);
        if (destinationZoneUuid === undefined) return [];
        const { jsonData } = parseJson(message) as { readonly jsonData: string };
        return { destinationZoneUuid, destinationAdaptorUuid, action, jsonData, removedProperties };
      }),
    ],
    denied: denialsOf(outcome, consulted, view),
    acls: [
      ...(operation === undefined ? [] : ofOperation(operation, view)),
      ...consulted.flatMap((consultation) => ofMessages(consultation, view)),
    ],
  };
};
