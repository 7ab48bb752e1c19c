import type { AppError } from '@fds/errors';
import type { JsonObject } from '@fds/json';

/** A record that is given whole. */
export interface WholeRecordWrite {
  /** CREATE refuses a key that is taken; REPLACE then replaces the whole record (data store only). */
  readonly kind: 'CREATE' | 'REPLACE';
  readonly domainVersionUuid: string;
  /** As given: it is validated against the model here. */
  readonly json: JsonObject;
}

export interface RecordPatch {
  readonly kind: 'PATCH';
  readonly recordUuid: string;
  /** JSON merge patch (RFC 7396) of the record. Data store only. */
  readonly patch: JsonObject;
  /** The change is to start from this one. */
  readonly changeVersion?: bigint;
}

export interface RecordDeletion {
  readonly kind: 'DELETE';
  readonly recordUuid: string;
  /** The record that the deletion must find. */
  readonly changeVersion?: bigint;
  /** For federated records. */
  readonly federated?: FederatedDeletion;
}

/** A change of a record that a person asks for, or an import. */
export type RecordWrite = WholeRecordWrite | RecordPatch | RecordDeletion;

/** How a federated record is to be deleted at its sources. */
export interface FederatedDeletion {
  /** The zone that the caller acts for: the source, for governance. */
  readonly zoneUuid: string;
  /** These adaptors only; default all that link the record. */
  readonly adaptorUuids?: readonly string[];
}

/**
 * State of the deletion at an adaptor. NOT_CAPABLE: it is inactive, or has no capability to DELETE.
 */
export type DeletionStatus = 'QUEUED' | 'DELIVERED' | 'DENIED' | 'NOT_CAPABLE';

export interface AdaptorDeletion {
  readonly adaptorUuid: string;
  readonly status: DeletionStatus;
}

/** The result of a write. Pointers of a refusal's errors count from the top of the record, or of the patch. */
export type WriteResult =
  | { readonly outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED'; readonly recordUuid: string }
  | {
      readonly outcome: 'DELETED';
      readonly recordUuid: string;
      readonly transactionUuid: string;
      /** For federated records: they are removed after the last of these has reported. */
      readonly adaptors: readonly AdaptorDeletion[];
    }
  /**
   * VALIDATION_FAILED, UNKNOWN_REFERENCE, DUPLICATE_DR_KEY (details: `uuid`), DOMAIN_INACTIVE, FEDERATED_RECORD, NOT_FOUND,
   * STALE_CHANGE_VERSION (details: `currentChangeVersion`),
   * IN_USE, GOVERNANCE_DENIED, INVALID_PARAMETER.
   */
  | { readonly outcome: 'REFUSED'; readonly error: AppError };
