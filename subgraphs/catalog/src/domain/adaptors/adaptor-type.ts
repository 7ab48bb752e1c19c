import { AppError, type FaultList, readName, readText } from '@fds/errors';
import type { JsonObject, JsonValue } from '@fds/json';
import { readSecretProperties } from '../secrets/secret-names.js';
import { readCapabilities, readMetadata, type Capability } from './capabilities.js';
import { webhookTypeName } from '@fds/webhook-client';

/** The type of an adaptor without a type in its input (docs/reference/adaptor-operations.md#adaptor). */
export const defaultTypeName = 'default';

/** Built-in types, with their `secretProperties`. */
export const builtInTypes: ReadonlyMap<string, readonly string[]> = new Map([
  [defaultTypeName, []],
  ['Database Adaptor', ['connectionString']],
  ['File System Adaptor', []],
  ['Temporal Adaptor', []],
  [webhookTypeName, []],
]);

/** Members of an adaptor type that a caller can write. */
export interface AdaptorTypeSettings {
  readonly name: string;
  readonly description: string | null;
  readonly version: string | null;
  readonly adaptorTypeLabel: string | null;
  readonly defaultCapabilities: readonly Capability[];
  /** Stored with a mask in place of each secret. */
  readonly defaultMetadata: JsonObject | null;
  /** Names of secrets in the metadata, in addition to the standard ones. */
  readonly secretProperties: readonly string[];
  /** Zones whose adaptors inherit the secrets, in addition to the zone of the type. */
  readonly secretZones: readonly string[];
  /** Null: the type belongs to the root zone. */
  readonly zoneUuid: string | null;
}

export interface AdaptorType extends AdaptorTypeSettings {
  readonly uuid: string;
  readonly builtIn: boolean;
  readonly createdByUuid: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export interface AdaptorTypeInput {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly version?: string | null;
  readonly adaptorTypeLabel?: string | null;
  readonly defaultCapabilities?: JsonValue;
  readonly defaultMetadata?: JsonValue;
  readonly secretProperties?: readonly string[] | null;
  readonly secretZones?: readonly string[] | null;
  readonly zoneUuid?: string | null;
  readonly changeVersion?: number | bigint | null;
}

const maxSecretZones = 1000;

const readSecretZones = (value: readonly string[] | null | undefined, faults: FaultList): readonly string[] => {
  const zones = (value ?? []).map((uuid) => uuid.toLowerCase());
  if (zones.length > maxSecretZones) {
    faults.add('/secretZones', 'TOO_LARGE', `secretZones has ${zones.length} zones, and may have ${maxSecretZones}`);
    return [];
  }
  const seen = new Set<string>();
  for (const [index, uuid] of zones.entries()) {
    if (seen.has(uuid)) faults.add(`/secretZones/${index}`, 'DUPLICATE', `zone ${uuid} is in the list already`);
    seen.add(uuid);
  }
  return zones;
};

/** Reads the settings of a type that is created or replaced: an absent member becomes null, or no capabilities. */
export const readAdaptorType = (input: AdaptorTypeInput, faults: FaultList): AdaptorTypeSettings => ({
  name: readName(input.name, 1, faults),
  description: readText('/description', input.description, faults),
  version: readText('/version', input.version, faults),
  adaptorTypeLabel: readText('/adaptorTypeLabel', input.adaptorTypeLabel, faults),
  defaultCapabilities: readCapabilities('/defaultCapabilities', input.defaultCapabilities, faults) ?? [],
  defaultMetadata: readMetadata('/defaultMetadata', input.defaultMetadata, faults),
  secretProperties: readSecretProperties(input.secretProperties, faults),
  secretZones: readSecretZones(input.secretZones, faults),
  zoneUuid: input.zoneUuid ?? null,
});

/** The built-in types are identified by their names. @throws AppError CONFLICT */
export const requireRenamable = (type: AdaptorType, name: string): void => {
  if (type.builtIn && type.name !== name) throw new AppError('CONFLICT', 'a built-in adaptor type keeps its name');
};

/** @throws AppError CONFLICT */
export const requireRemovable = (type: AdaptorType): void => {
  if (type.builtIn) throw new AppError('CONFLICT', 'a built-in adaptor type cannot be deleted');
};
