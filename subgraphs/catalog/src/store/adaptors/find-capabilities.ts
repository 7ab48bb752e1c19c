import type { PrismaTransaction } from '@fds/database';
import type { CapabilityAction } from '../../domain/adaptors/capabilities.js';

/** An adaptor's capability for the requested domain version. */
export interface FoundCapability {
  readonly adaptorUuid: string;
  readonly action: CapabilityAction;
}

export interface WantedCapability {
  readonly domainName: string;
  readonly versionNumber: number;
  /** Absent: any. */
  readonly action?: CapabilityAction | null | undefined;
}

/**
 * Effective capabilities (the adaptor's own, otherwise the type's) of all adaptors for a domain version, without
 * duplicates. Domain names are compared ignoring case.
 */
export const findCapabilities = (
  tx: PrismaTransaction,
  { domainName, versionNumber, action = null }: WantedCapability,
): Promise<FoundCapability[]> => tx.$queryRaw`
  SELECT a.uuid::text AS "adaptorUuid", c.action
  FROM adaptor a JOIN adaptor_capability c ON c.adaptor_uuid = a.uuid
  WHERE NOT a.inherits_capabilities AND lower(c.domain_name) = lower(${domainName}::text)
    AND c.version_number = ${versionNumber}::int AND (${action}::text IS NULL OR c.action = ${action}::text)
  UNION
  SELECT a.uuid::text, c.action
  FROM adaptor a JOIN adaptor_type_capability c ON c.adaptor_type_uuid = a.adaptor_type_uuid
  WHERE a.inherits_capabilities AND lower(c.domain_name) = lower(${domainName}::text)
    AND c.version_number = ${versionNumber}::int AND (${action}::text IS NULL OR c.action = ${action}::text)`;
