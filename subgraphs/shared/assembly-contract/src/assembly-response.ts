import type { JsonObject } from '@fds/json';
import type { AssemblyRequest, OutputType } from './assembly-request.js';

/** docs/reference/assembly.md#response */
export type AssembledStatus = 'PREFERRED_COMPLETE' | 'PREFERRED_PARTIAL' | 'FALLBACK' | 'UNAVAILABLE';
export type Tier = 'GOLD' | 'SILVER' | 'BRONZE';

export interface AssembledRecord {
  readonly uuid: string;
  readonly data: JsonObject;
  readonly status: AssembledStatus;
  readonly drKey: JsonObject;
  readonly adaptors: readonly {
    readonly uuid: string;
    readonly name: string;
    readonly zoneUuid: string;
    readonly zoneName: string;
    /** Members that the adaptor added to the record. */
    readonly additionalParams?: JsonObject;
  }[];
  /** By property. `adaptorUuid` is null for data of the data store. */
  readonly provenance?: Readonly<Record<string, { readonly adaptorUuid: string | null; readonly tier: Tier }>>;
  /** The result of a timestamp search, in epoch ms. */
  readonly timestamps?: readonly number[];
  /** With `expandRefs`: the nested records that are not PREFERRED_COMPLETE. Absent where all of them are. */
  readonly incompleteReferences?: readonly {
    /** JSON pointer in `data`. */
    readonly pointer: string;
    readonly uuid: string;
    readonly status: AssembledStatus;
  }[];
}

/** Members of a request; null where a member without a default was not given. */
type EffectiveMembers = { readonly [Name in keyof AssemblyRequest]?: AssemblyRequest[Name] | null };

/** Answer of POST {dvs_url}/request (docs/reference/assembly.md#response). */
export interface AssemblyResponse {
  readonly uuid: string;
  readonly domain: string;
  readonly versionNumber: number;
  readonly domainVersionUuid: string;
  /** The effective request, defaults filled in. */
  readonly virtualizationRequest: EffectiveMembers & {
    readonly domainVersionUuid: string;
    readonly outputType: OutputType;
  };
  readonly assembledDataRecords: readonly AssembledRecord[];
  readonly completeness: readonly {
    /** Null where governance denied the adaptor: counted, not named. */
    readonly adaptorUuid: string | null;
    readonly tier: Tier | null;
    readonly outcome: 'ANSWERED' | 'LATE' | 'DOWN' | 'FAILED' | 'DENIED';
    readonly milliseconds: number;
    /** The level of referenced records that the adaptor was asked for, from 1. Absent for the records of the request. */
    readonly level?: number;
    /** With `level`: the version that the adaptor was asked for. */
    readonly domain?: string;
    readonly versionNumber?: number;
  }[];
  readonly _page: {
    readonly page: number;
    readonly size: number;
    readonly totalElements: number;
    readonly totalPages: number;
  };
  readonly schemaEntries: readonly { readonly name: string; readonly propertyType: string }[];
}
