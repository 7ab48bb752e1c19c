import type { AppliedAcl, OperationalDecision } from '@fds/governance-rules';
import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import type { Consultation } from './count-decisions.js';
import type { EventOutcome, PlannedDelivery } from '../events/event-outcome.js';

/** A message that a change would become. */
interface DryRunMessage {
  readonly destinationZoneUuid: string;
  readonly destinationAdaptorUuid: string;
  readonly action: string;
  /** JSON text. */
  readonly jsonData: string;
  readonly removedProperties: readonly string[];
}

/** An entry that decides something; of the operational chain for all destinations. */
interface DryRunAcl extends Omit<AppliedAcl, 'chain'> {
  readonly chain: 'OPERATIONAL' | AppliedAcl['chain'];
  readonly destinationAdaptorUuid: string | null;
}

/** What a change would become. */
export interface DryRun {
  readonly action: string;
  readonly drUuid: string | null;
  readonly matchStatus: string;
  readonly messages: readonly DryRunMessage[];
  readonly denied: readonly Pick<DryRunAcl, 'chain' | 'aclUuid' | 'destinationAdaptorUuid'>[];
  readonly acls: readonly DryRunAcl[];
}

/** What is told of an outcome. */
export interface DryRunView {
  /** The change as it was asked for; undefined: its uuid is new. */
  readonly asked: { readonly action: string; readonly drUuid: string | undefined };
  /** Destinations that may be told of. */
  readonly tells: (destinationZoneUuid: string) => boolean;
  /** Properties of messages that may be shown. */
  readonly shows: (property: string) => boolean;
}

const ofOperation = ({ applied }: OperationalDecision): DryRunAcl[] =>
  applied === undefined ? [] : [{ chain: 'OPERATIONAL', destinationAdaptorUuid: null, properties: [], ...applied }];

const ofMessages = ({ decision, destinationAdaptorUuid }: Consultation): DryRunAcl[] =>
  decision.applied.map((applied) => ({ ...applied, destinationAdaptorUuid }));

const shownData = ({ message }: PlannedDelivery, shows: DryRunView['shows']): string => {
  const { jsonData } = parseJson(message) as { readonly jsonData: string };
  const data = parseJson(jsonData);
  const members: JsonObject = isJsonObject(data) ? data : {};
  return stringifyJson(Object.fromEntries(Object.entries(members).filter(([name]) => shows(name))));
};

/** Tells what an outcome would have become. */
export const describeDryRun = (outcome: EventOutcome, { asked, tells, shows }: DryRunView): DryRun => {
  const { event, issue, operation, deliveries } = outcome;
  const consulted = (outcome.consulted ?? []).filter(({ destinationZoneUuid }) => tells(destinationZoneUuid));
  const zones = new Map(consulted.map((each) => [each.destinationAdaptorUuid, each.destinationZoneUuid]));
  const isDenied = operation?.outcome === 'DENIED';
  const isNew = event?.matchStatus === 'PRESUMED_NEW' || (isDenied && issue?.recordUuid === null);
  return {
    action: event?.action ?? asked.action,
    drUuid: isNew ? null : (event?.recordUuid ?? issue?.recordUuid ?? asked.drUuid ?? null),
    matchStatus: issue?.matchStatus ?? event?.matchStatus ?? (isNew ? 'PRESUMED_NEW' : 'RESOLVED'),
    messages: deliveries.flatMap((delivery) => {
      const destinationZoneUuid = zones.get(delivery.adaptorUuid);
      if (destinationZoneUuid === undefined) return [];
      const { adaptorUuid: destinationAdaptorUuid, action, removedProperties } = delivery;
      const jsonData = shownData(delivery, shows);
      return { destinationZoneUuid, destinationAdaptorUuid, action, jsonData, removedProperties };
    }),
    denied: [
      ...(operation !== undefined && isDenied ? ofOperation(operation) : []).map(({ chain, aclUuid }) => ({
        chain,
        aclUuid,
        destinationAdaptorUuid: null,
      })),
      ...consulted.flatMap(({ decision, destinationAdaptorUuid }) =>
        decision.deniedBy === undefined
          ? []
          : { chain: decision.deniedBy.chain, aclUuid: decision.deniedBy.aclUuid, destinationAdaptorUuid },
      ),
    ],
    acls: [...(operation === undefined ? [] : ofOperation(operation)), ...consulted.flatMap(ofMessages)],
  };
};
