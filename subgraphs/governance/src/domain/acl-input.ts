import type { AclEffect } from '@fds/governance-rules';

/** An entry as a caller sends it; null and absent are the same. */
export interface AclInput {
  readonly name?: string | null;
  readonly sourceZoneUuid?: string | null;
  readonly sourceAdaptorUuid?: string | null;
  readonly destinationZoneUuid?: string | null;
  readonly destinationAdaptorUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  readonly properties?: readonly string[] | null;
  readonly get?: AclEffect | null;
  readonly post?: AclEffect | null;
  readonly put?: AclEffect | null;
  readonly delete?: AclEffect | null;
  readonly active?: boolean | null;
}

/** Where new entries go: the front when neither is given. */
export interface Placement {
  readonly append?: boolean | null;
  readonly position?: number | null;
}
