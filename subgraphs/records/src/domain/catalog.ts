import type { CompiledMatching } from '@fds/matching';
import type { CompiledModel } from '@fds/model-schema';

/** The data of a domain version that records needs. Immutable. */
export interface DomainVersionView {
  readonly uuid: string;
  readonly domainUuid: string;
  readonly domainName: string;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly versionNumber: number;
  /** The zone that owns the domain. */
  readonly zoneUuid: string;
  /** Changes with every change of the domain or the version. */
  readonly revision: string;
  /** The domain and the version are. */
  readonly active: boolean;
  readonly model: CompiledModel;
  /** How records of other keys are matched; undefined: not at all. */
  readonly matching?: CompiledMatching | undefined;
}

/** Within `seconds` from the first deletion of a version, the larger of the two numbers of deletions pass. */
export interface DeletionLimit {
  /** Share of the records that the adaptor linked when the first deletion arrived. */
  readonly percent: number;
  readonly minimum: number;
  readonly seconds: number;
}

/** The data of an adaptor that records needs. Immutable. */
export interface AdaptorView {
  readonly uuid: string;
  readonly name: string;
  readonly zoneUuid: string;
  readonly active: boolean;
  readonly state: string;
  readonly discoveryMode: boolean;
  /** In effect: its own, otherwise its type's. See `capabilityKey`. */
  readonly capabilities: ReadonlySet<string>;
  /** How many of its linked records it may delete within a time. Undefined: there is no limit. */
  readonly deletionLimit?: DeletionLimit | undefined;
  /** A webhook adaptor, which the service runs, has one; it changes with the metadata. Undefined: an adaptor on the bus. */
  readonly webhookRevision?: string | undefined;
}

export type CapabilityAction = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A capability as a member of `AdaptorView.capabilities`. Domain names are compared ignoring case. */
export const capabilityKey = (domainName: string, versionNumber: number, action: string): string =>
  `${domainName.toLowerCase()}:${versionNumber}:${action}`;

/** Is the adaptor capable of the action for the version? */
export const isCapable = (adaptor: AdaptorView, version: DomainVersionView, action: CapabilityAction): boolean =>
  adaptor.capabilities.has(capabilityKey(version.domainName, version.versionNumber, action));

/** Is there something that the adaptor may do and could not before? @param before undefined: it was not known */
export const mayDoMore = (adaptor: AdaptorView, before: AdaptorView | undefined): boolean =>
  adaptor.active &&
  (before?.active !== true || [...adaptor.capabilities].some((capability) => !before.capabilities.has(capability)));

/** The catalog at one moment, as routing asks it. */
export interface Catalog {
  /** By the domain's name, ignoring case; version 0 is the default one. */
  version(domainName: string, versionNumber: number): DomainVersionView | undefined;
  versionByUuid(uuid: string): DomainVersionView | undefined;
  adaptor(uuid: string): AdaptorView | undefined;
  /** Active adaptors that are capable of POST, PUT or DELETE for the version, sorted by uuid. */
  destinations(version: DomainVersionView): readonly AdaptorView[];
  /** Adaptors that have a capability for the version but receive nothing: not active, or capable of GET only. Sorted by uuid. */
  bystanders(version: DomainVersionView): readonly AdaptorView[];
}
