import type { GovernanceRules } from '@fds/governance-rules';
import type { AdaptorState } from './adaptor-state.js';
import type { CapabilityAction } from './capabilities.js';

/**
 * The data of an adaptor that every zone may see, because the zone could exchange data with it. It contains no
 * configuration.
 */
export interface AdaptorSummary {
  readonly uuid: string;
  readonly name: string;
  readonly description: string | null;
  readonly zoneUuid: string;
  readonly zoneName: string;
  readonly adaptorTypeUuid: string;
  readonly state: AdaptorState;
  readonly active: boolean;
}

/** An adaptor that is capable of an action with a domain version. */
export interface CapableAdaptor {
  readonly adaptor: AdaptorSummary;
  readonly action: CapabilityAction;
  /** Whether governance lets the requesting zone exchange any data with it. */
  readonly permitted: boolean;
}

/** A zone that wants to exchange data of a domain version. */
export interface Exchange {
  readonly zoneUuid: string;
  readonly domainVersionUuid: string;
  /** Names of the properties at the top level of the version's model. */
  readonly properties: readonly string[];
}

/**
 * Evaluates the chains of both zones. For GET the adaptor is the source and the zone the destination
 * (docs/reference/assembly.md#adaptors-asked); POST, PUT and DELETE go from the zone to the adaptor.
 */
export const isPermitted = (
  rules: GovernanceRules,
  { zoneUuid, domainVersionUuid, properties }: Exchange,
  adaptor: Pick<AdaptorSummary, 'uuid' | 'zoneUuid'>,
  action: CapabilityAction,
): boolean => {
  const way =
    action === 'GET'
      ? { sourceZoneUuid: adaptor.zoneUuid, sourceAdaptorUuid: adaptor.uuid, destinationZoneUuid: zoneUuid }
      : { sourceZoneUuid: zoneUuid, destinationZoneUuid: adaptor.zoneUuid, destinationAdaptorUuid: adaptor.uuid };
  return rules.decide({ action, domainVersionUuid, properties, ...way }).outcome === 'ALLOWED';
};
