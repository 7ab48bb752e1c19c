import type { JsonObject } from '@fds/json';

/** A live version of a domain that a caller may see. */
export interface VisibleVersion {
  /** `dr_<domain>_<n>`: the name of its record type in GraphQL. */
  readonly typeName: string;
  readonly domainName: string;
  readonly domainUuid: string;
  readonly versionNumber: number;
  readonly domainVersionUuid: string;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
}

/** A version with its model, from which its records are described. */
export interface RecordVersion extends VisibleVersion {
  /** In the standard spelling. */
  readonly modelSchema: JsonObject;
  readonly drKeyProperties: readonly string[];
}
