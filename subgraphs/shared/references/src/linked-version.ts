import type { CompiledModel } from '@fds/model-schema';

/** The part of a domain version that references need. Immutable; compared by identity. */
export interface LinkedVersion {
  readonly uuid: string;
  readonly domainUuid: string;
  /** The zone that owns the domain. */
  readonly zoneUuid: string;
  readonly domainName: string;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly versionNumber: number;
  readonly model: CompiledModel;
}

/** The versions that references lead to. */
export interface LinkedVersions {
  /** By the domain's name, ignoring case. */
  version(domainName: string, versionNumber: number): LinkedVersion | undefined;
}
