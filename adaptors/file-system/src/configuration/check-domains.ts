import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';
import type { AdaptorConfiguration, Capability } from '@fds/adaptor-sdk';
import { ConfigurationFault, type FileSystemMetadata } from './file-system-metadata.js';

type DomainVersion = AdaptorConfiguration['domainVersions'][number];

/** A domain version that the metadata names, and its place in the metadata. */
interface NamedVersion {
  readonly domain: string;
  readonly version: number;
  readonly place: string;
}

const drKey = ['adaptorUuid', 'sourceUri'];
const actions = ['NEW', 'UPDATED', 'DELETED'];

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member of a model. Names are compared without case. */
const member = (properties: JsonValue | undefined, name: string): JsonObject => {
  if (!isObject(properties)) return {};
  const found = Object.entries(properties).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return isObject(found) ? found : {};
};

const isRequired = (schema: JsonObject, name: string): boolean => {
  const { required, properties } = schema;
  const listed = Array.isArray(required) && required.some((one) => String(one).toLowerCase() === name.toLowerCase());
  return listed || member(properties, name)['required'] === true;
};

/** The required properties of the model (specification, domain the adaptor requires). */
const types: readonly { readonly name: string; readonly type: string; readonly required: boolean }[] = [
  { name: 'adaptorUuid', type: 'string', required: true },
  { name: 'sourceUri', type: 'string', required: true },
  { name: 'intermediateUri', type: 'string', required: false },
  { name: 'destinationUri', type: 'string', required: false },
  { name: 'action', type: 'string', required: true },
  { name: 'contentLength', type: 'integer', required: true },
  { name: 'additionalParameters', type: 'array', required: false },
];

const modelFaults = (schema: JsonObject): readonly string[] => {
  const faults: string[] = [];
  for (const { name, type, required } of types) {
    const property = member(schema['properties'], name);
    if (property['type'] === undefined) faults.push(`the property ${name} (${type}) is missing`);
    else if (property['type'] !== type) faults.push(`the property ${name} must have the type ${type}`);
    else if (required && !isRequired(schema, name)) faults.push(`the property ${name} must be required`);
  }
  const values = member(schema['properties'], 'action')['enum'];
  if (!Array.isArray(values) || values.length !== actions.length || !actions.every((value) => values.includes(value))) {
    faults.push(`the property action must have the enum ${actions.join(', ')}`);
  }
  const items = member(schema['properties'], 'additionalParameters')['items'];
  const item = isObject(items) ? items : {};
  for (const name of ['key', 'value']) {
    if (member(item['properties'], name)['type'] !== 'string' || !isRequired(item, name)) {
      faults.push(`the items of additionalParameters must have ${name} (string, required)`);
    }
  }
  return faults;
};

const keyFaults = ({ drKeyProperties }: DomainVersion): readonly string[] => {
  const names = new Set(drKeyProperties.map((name) => name.toLowerCase()));
  const exact = names.size === drKey.length && drKey.every((name) => names.has(name.toLowerCase()));
  return exact ? [] : [`the DR Key properties must be exactly ${drKey.join(' and ')}`];
};

const namedVersions = (metadata: FileSystemMetadata): readonly NamedVersion[] =>
  metadata.type === 'source'
    ? metadata.paths.map(({ domain, version }, index) => ({ domain, version, place: `metadata/paths/${index}` }))
    : metadata.destinations.map(({ domain, version }, index) => ({
        domain,
        version,
        place: `metadata/destinations/${index}`,
      }));

const isFor = ({ domain, version }: NamedVersion, name: string, number: number): boolean =>
  domain.toLowerCase() === name.toLowerCase() && version === number;

const capabilityFaults = (named: NamedVersion, capabilities: readonly Capability[]): readonly string[] => {
  const missing = ['POST', 'PUT'].filter(
    (action) => !capabilities.some((one) => one.action === action && isFor(named, one.domainName, one.versionNumber)),
  );
  return missing.length === 0 ? [] : [`the adaptor's capabilities lack ${missing.join(' and ')}`];
};

/**
 * Checks that the domain versions of the metadata fit the adaptor.
 *
 * @returns the domain versions without a model from the server: only their key is checked
 * @throws ConfigurationFault with every fault
 */
export const checkDomains = (
  metadata: FileSystemMetadata,
  { capabilities, domainVersions }: Pick<AdaptorConfiguration, 'capabilities' | 'domainVersions'>,
): readonly string[] => {
  const unchecked = new Set<string>();
  const faults = namedVersions(metadata).flatMap((named) => {
    const label = `${named.domain}:${named.version}`;
    const known = domainVersions.find(({ domain, version }) => isFor(named, domain, version));
    const found = [
      ...capabilityFaults(named, capabilities),
      ...(known === undefined
        ? ["no such domain version exists, or the adaptor's capabilities do not name it"]
        : [...keyFaults(known), ...(known.modelSchema === undefined ? [] : modelFaults(known.modelSchema))]),
    ];
    if (known !== undefined && known.modelSchema === undefined) unchecked.add(label);
    return found.map((reason) => `${named.place} (${label}): ${reason}`);
  });
  if (faults.length > 0) throw new ConfigurationFault([...new Set(faults)]);
  return [...unchecked];
};
