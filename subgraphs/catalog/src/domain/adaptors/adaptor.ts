import type { JsonObject, JsonValue } from '@fds/json';
import { type FaultList, readName, readText } from '@fds/errors';
import type { AdaptorCommand, AdaptorState } from './adaptor-state.js';
import type { AdaptorType } from './adaptor-type.js';
import { readDeletionLimit, type DeletionLimit, type DeletionLimitInput } from './deletion-limit.js';
import { readCapabilities, readMetadata, type Capability } from './capabilities.js';

/** Members of an adaptor that a caller can write. */
export interface AdaptorSettings {
  readonly name: string;
  readonly description: string | null;
  /** Null means the type `default`. */
  readonly adaptorTypeUuid: string | null;
  /** Null: those of the type are effective. */
  readonly capabilities: readonly Capability[] | null;
  /** Null: that of the type is effective. Stored with a mask in place of each secret. */
  readonly metadata: JsonObject | null;
  readonly discoveryMode: boolean;
  readonly active: boolean;
  /** Null: no limit. */
  readonly deletionLimit: DeletionLimit | null;
}

export interface Adaptor extends AdaptorSettings {
  readonly uuid: string;
  readonly zoneUuid: string;
  readonly adaptorTypeUuid: string;
  readonly adaptorType: AdaptorType;
  readonly state: AdaptorState;
  readonly stateMessage: string | null;
  readonly createdByUuid: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export interface AdaptorInput {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly adaptorTypeUuid?: string | null;
  readonly capabilities?: JsonValue;
  readonly metadata?: JsonValue;
  readonly discoveryMode?: boolean | null;
  readonly state?: AdaptorCommand | null;
  readonly active?: boolean | null;
  /** Alias of `active`. */
  readonly status?: boolean | null;
  /** Null: no limit. Undefined: unchanged, at first the default. */
  readonly deletionLimit?: DeletionLimitInput | null;
  readonly changeVersion?: number | bigint | null;
}

/**
 * Reads the settings of an adaptor that is created (`current` undefined) or replaced. An absent member becomes null,
 * which means the default for type, capabilities and metadata. An absent `active`, `status` or `deletionLimit` stays unchanged
 * (docs/reference/adaptor-operations.md#endpoints).
 */
export const readAdaptor = (
  input: AdaptorInput,
  current: AdaptorSettings | undefined,
  faults: FaultList,
): AdaptorSettings => {
  const active = input.active ?? input.status ?? current?.active ?? true;
  if (typeof input.status === 'boolean' && input.status !== active) {
    faults.add('/status', 'CONTRADICTION', 'status is an alias of active and says otherwise');
  }
  return {
    name: readName(input.name, 1, faults),
    description: readText('/description', input.description, faults),
    adaptorTypeUuid: input.adaptorTypeUuid ?? null,
    capabilities: readCapabilities('/capabilities', input.capabilities, faults),
    metadata: readMetadata('/metadata', input.metadata, faults),
    discoveryMode: input.discoveryMode ?? false,
    active,
    deletionLimit: readDeletionLimit(input.deletionLimit, current?.deletionLimit, faults),
  };
};

/** An adaptor's settings as an input, to which a patch is applied. */
export const adaptorAsInput = (adaptor: Adaptor): AdaptorInput => {
  const { name, description, adaptorTypeUuid, capabilities, metadata, discoveryMode, deletionLimit } = adaptor;
  return {
    name,
    description,
    adaptorTypeUuid,
    capabilities: capabilities?.map((capability) => ({ ...capability })) ?? null,
    metadata,
    discoveryMode,
    deletionLimit,
  };
};

/** Does the input change anything other than the state? */
export const changesConfiguration = ({ state: _state, changeVersion: _version, ...rest }: AdaptorInput): boolean =>
  Object.values(rest).some((value) => value !== undefined);

/** The adaptor's own capabilities, otherwise its type's. */
export const capabilitiesInEffect = ({ capabilities, adaptorType }: Adaptor): readonly Capability[] =>
  capabilities ?? adaptorType.defaultCapabilities;

/** The adaptor's own metadata, otherwise its type's. */
export const metadataInEffect = ({ metadata, adaptorType }: Adaptor): JsonObject | null =>
  metadata ?? adaptorType.defaultMetadata;
