import type { JsonObject, JsonValue } from '@fds/json';
import { type FaultList, readName, readText } from '@fds/resource-rules';
import type { AdaptorCommand, AdaptorState } from './adaptor-state.js';
import type { AdaptorType } from './adaptor-type.js';
import { readCapabilities, readMetadata, type Capability } from './capabilities.js';

/** Members of an adaptor that a caller can write. */
export interface AdaptorSettings {
  readonly name: string;
  readonly description: string | null;
  /** Null: the type `default`. */
  readonly adaptorTypeUuid: string | null;
  /** Null: the type's are in effect. */
  readonly capabilities: readonly Capability[] | null;
  /** Null: the type's is in effect. With a mask in the place of each secret once it is stored. */
  readonly metadata: JsonObject | null;
  readonly discoveryMode: boolean;
  readonly active: boolean;
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
  readonly changeVersion?: number | bigint | null;
}

/**
 * Reads the settings of an adaptor that is created (`current` undefined) or replaced. An absent member becomes null, which
 * for type, capabilities and metadata means the default; an absent `active` or `status` changes nothing
 * (docs/specification/adaptors.md#endpoints).
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
  };
};

/** An adaptor's settings as an input, for a patch to be laid over. */
export const adaptorAsInput = (adaptor: Adaptor): AdaptorInput => {
  const { name, description, adaptorTypeUuid, capabilities, metadata, discoveryMode } = adaptor;
  return {
    name,
    description,
    adaptorTypeUuid,
    capabilities: capabilities?.map((capability) => ({ ...capability })) ?? null,
    metadata,
    discoveryMode,
  };
};

/** Does the input contain any member besides the state? */
export const changesConfiguration = ({ state: _state, changeVersion: _version, ...rest }: AdaptorInput): boolean =>
  Object.values(rest).some((value) => value !== undefined);

/** The adaptor's own capabilities, otherwise its type's. */
export const capabilitiesInEffect = ({ capabilities, adaptorType }: Adaptor): readonly Capability[] =>
  capabilities ?? adaptorType.defaultCapabilities;

/** The adaptor's own metadata, otherwise its type's. */
export const metadataInEffect = ({ metadata, adaptorType }: Adaptor): JsonObject | null =>
  metadata ?? adaptorType.defaultMetadata;
