import type { AccessRule } from '@fds/access-rules';
import type { AclEffect } from '@fds/governance-rules';
import type { JsonValue } from '@fds/json';

/** Null and absent are the same. */
type Given<Members> = { readonly [Name in keyof Members]?: Members[Name] | null };

/** An entry of a zone's chain, as callers write it. */
export type ZoneEntryInput = Given<{
  /** That of a saved entry: its records stay, unless others are given. */
  uuid: string;
  sourceZoneUuid: string;
  sourceAdaptorUuid: string;
  destinationZoneUuid: string;
  destinationAdaptorUuid: string;
  domainVersionUuid: string;
  properties: readonly string[];
  get: AclEffect;
  post: AclEffect;
  put: AclEffect;
  delete: AclEffect;
  active: boolean;
  drUuids: readonly string[];
}>;

/** An entry of the operational chain, as callers write it. */
export type OperationalEntryInput = Given<{
  sourceZoneUuid: string;
  sourceAdaptorUuid: string;
  domainVersionUuid: string;
  post: AclEffect;
  delete: AclEffect;
  active: boolean;
}>;

/** A rehearsal, as callers write it. */
export type RehearsalInput = Given<{
  inboundAcls: readonly ZoneEntryInput[];
  outboundAcls: readonly ZoneEntryInput[];
  operationalAcls: readonly OperationalEntryInput[];
  dataAccessRules: { readonly roleUuid: string; readonly rules: readonly Given<AccessRule>[] };
  matchingAlgorithm: { readonly domainVersionUuid: string; readonly matchingAlgorithm?: JsonValue };
}> & {
  readonly events: Given<{
    last: number;
    from: Date;
    to: Date;
    domainVersionUuid: string;
    adaptorUuid: string;
  }>;
};
