import type { AclAction, AclEffect, Chain } from './acl-entry.js';

/** A message between two zones, as governance sees it. */
export interface Message {
  readonly action: AclAction;
  readonly sourceZoneUuid: string;
  /** Absent: no adaptor, such as the data store. An entry that names a source adaptor then does not match. */
  readonly sourceAdaptorUuid?: string | undefined;
  readonly destinationZoneUuid: string;
  /** Absent: no adaptor, such as a person who asks. */
  readonly destinationAdaptorUuid?: string | undefined;
  readonly domainVersionUuid: string;
  /** Absent: a record that is not known yet. An entry with attached records then does not match. */
  readonly drUuid?: string | undefined;
  /** Names of the properties it carries; without any the message is decided as a whole. */
  readonly properties: readonly string[];
}

/** An entry that decided something. */
export interface AppliedAcl {
  readonly chain: Chain;
  readonly aclUuid: string;
  readonly position: number;
  readonly result: AclEffect;
  /** Properties of the message that it decided; empty for a message without properties. */
  readonly properties: readonly string[];
}

/** The decision of both zones' chains on a message. */
export interface Decision {
  /** DENIED: no part of the message may be sent. */
  readonly outcome: 'ALLOWED' | 'DENIED';
  /** Properties to be removed, in the order of the message. */
  readonly removedProperties: readonly string[];
  /** Outbound before inbound, each by position. */
  readonly applied: readonly AppliedAcl[];
  /** Chains in which no entry decided on some of it, so that the default policy let it pass. */
  readonly byDefault: readonly Chain[];
  /** The entry after which nothing was left. */
  readonly deniedBy?: AppliedAcl;
}
