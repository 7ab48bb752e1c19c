import type { Chain } from '@fds/governance-rules';

/** Names of the two chains of a zone. */
export interface ChainNames {
  /** Type in the change log. */
  readonly resourceType: 'InboundAcl' | 'OutboundAcl';
  /** Segment of the path. */
  readonly collection: 'inbound-acls' | 'outbound-acls';
  /** The selector that always has the chain's own zone (docs/reference/governance.md#entries). */
  readonly ownZone: 'sourceZoneUuid' | 'destinationZoneUuid';
}

export const chainNames: Readonly<Record<Chain, ChainNames>> = {
  INBOUND: { resourceType: 'InboundAcl', collection: 'inbound-acls', ownZone: 'destinationZoneUuid' },
  OUTBOUND: { resourceType: 'OutboundAcl', collection: 'outbound-acls', ownZone: 'sourceZoneUuid' },
};

/** Path of an entry below `/api`. */
export const aclPath = (chain: Chain, zoneUuid: string, aclUuid: string): string =>
  `/zones/${zoneUuid}/${chainNames[chain].collection}/${aclUuid}`;
