import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import type { AdaptorType, AdaptorTypeSettings } from '../../domain/adaptors/adaptor-type.js';
import type { Capability, CapabilityAction, CapabilityDirection } from '../../domain/adaptors/capabilities.js';

interface CapabilityRow {
  readonly domainName: string;
  readonly versionNumber: number;
  readonly action: string;
  readonly direction: string | null;
}

export const toCapability = ({ domainName, versionNumber, action, direction }: CapabilityRow): Capability => ({
  domainName,
  versionNumber,
  action: action as CapabilityAction,
  direction: direction as CapabilityDirection | null,
});

/** Capabilities as rows, with their order. */
export const capabilityRows = (capabilities: readonly Capability[]) =>
  capabilities.map((capability, position) => ({ ...capability, position }));

/** A text column that holds a JSON object, or null. */
export const toJsonObject = (text: string | null): JsonObject | null => {
  const value = text === null ? null : parseJson(text);
  return isJsonObject(value) ? value : null;
};

export const toJsonText = (value: JsonObject | null): string | null => (value === null ? null : stringifyJson(value));

/** The related rows that reading a type includes. */
export const withDefaultCapabilities = { defaultCapabilities: { orderBy: { position: 'asc' } } } as const;

type AdaptorTypeRow = Omit<AdaptorType, 'defaultCapabilities' | 'defaultMetadata'> & {
  readonly defaultMetadata: string | null;
  readonly defaultCapabilities: readonly CapabilityRow[];
};

export const toAdaptorType = ({ defaultMetadata, defaultCapabilities, ...row }: AdaptorTypeRow): AdaptorType => ({
  ...row,
  defaultMetadata: toJsonObject(defaultMetadata),
  defaultCapabilities: defaultCapabilities.map(toCapability),
});

/** The columns of the settings, except the capabilities. */
export const adaptorTypeColumns = ({
  defaultCapabilities: _capabilities,
  defaultMetadata,
  secretProperties,
  secretZones,
  ...rest
}: AdaptorTypeSettings) => ({
  ...rest,
  defaultMetadata: toJsonText(defaultMetadata),
  secretProperties: [...secretProperties],
  secretZones: [...secretZones],
});
