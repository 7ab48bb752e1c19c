import type { JsonObject } from '@fds/json';

export type ReleasePolicy = 'GOLD' | 'GOLD_SILVER' | 'ASAP';

export type OutputType = 'FULL' | 'DATA_ONLY';

/**
 * Body of POST {dvs_url}/request (docs/reference/assembly.md#request). Absent members take the specification's defaults.
 */
export interface AssemblyRequest {
  readonly zoneUuid?: string;
  readonly domain?: string;
  readonly versionNumber?: number;
  /** Seconds. Default 30. */
  readonly timeout?: number;
  readonly releasePolicy?: ReleasePolicy;
  /** Default false. */
  readonly expandRefs?: boolean;
  /** Records of one multivalued reference at most: default 10, 1 to 1000. */
  readonly maxRefSize?: number;
  /** Levels of references at most: default 10, 1 to 100. Level 1 has the records that the request's records refer to. */
  readonly maxRefDepth?: number;
  readonly requestedProperties?: readonly string[];
  readonly adaptors?: readonly string[];
  readonly goldAdaptors?: readonly string[];
  readonly silverAdaptors?: readonly string[];
  readonly bronzeAdaptors?: readonly string[];
  readonly drUuids?: readonly string[];
  readonly drKeys?: readonly JsonObject[];
  readonly query?: string;
  readonly sort?: string;
  readonly page?: number;
  /** Default 10, 1 to 1000; up to 100 000 in a progressive answer. */
  readonly size?: number;
  readonly additionalParams?: JsonObject;
  /** Default FULL. DATA_ONLY: records with `uuid` and `data` alone. */
  readonly outputType?: OutputType;
  readonly options?: { readonly provenance?: boolean; readonly completeness?: boolean };
}
