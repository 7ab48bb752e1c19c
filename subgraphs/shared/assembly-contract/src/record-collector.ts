import type { Principal } from '@fds/auth';
import type { JsonObject } from '@fds/json';
import type { Tier } from './assembly-response.js';

/** Records that one adaptor is asked for, each by its key. */
export interface CollectedQuestion {
  readonly adaptorUuid: string;
  readonly records: readonly { readonly drUuid: string; readonly drKey: JsonObject }[];
}

/** Records of a version that are asked for a zone. At most 1000 records. */
export interface CollectionRequest {
  readonly zoneUuid: string;
  readonly domain: string;
  readonly versionNumber: number;
  /** Seconds. */
  readonly timeout: number;
  /** Each adaptor at most once. All of them are capable of GET. */
  readonly questions: readonly CollectedQuestion[];
}

/** A record in the answer of an adaptor. */
export interface CollectedRecord {
  /** The values that governance lets the zone have, in the spelling and with the types of the model. */
  readonly values: JsonObject;
  /** Epoch ms of the latest change, as the adaptor states it. */
  readonly lastUpdated?: number | undefined;
}

/** The answer of an adaptor by itself. */
export interface CollectedAnswer {
  readonly adaptorUuid: string;
  /** For the asking zone. */
  readonly tier: Tier;
  readonly outcome: 'ANSWERED' | 'LATE' | 'DOWN' | 'FAILED';
  /** The question or the answer exceeds a bound: fewer records may be answered. Default: no. */
  readonly isTooLarge?: boolean;
  /** Why the adaptor did not answer. */
  readonly reason?: string | undefined;
  /** By uuid. A record that the adaptor was asked for and that is not here was not in its answer. */
  readonly records: ReadonlyMap<string, CollectedRecord>;
  /** The records that governance keeps from the zone. The adaptor was not asked for them. */
  readonly denied: ReadonlySet<string>;
}

/** Port to the assembly engine for callers that compare adaptors: the answers are not merged. */
export interface RecordCollector {
  /**
   * Asks adaptors for the same records and waits for all of them, at the latest for the time-out.
   *
   * @throws AppError as `assemble` does, and the signal's reason
   */
  collect(request: CollectionRequest, principal: Principal, signal?: AbortSignal): Promise<readonly CollectedAnswer[]>;
}
