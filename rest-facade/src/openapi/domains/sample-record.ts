import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'ada@example.org',
  uri: 'https://example.org/ada',
  uuid: '019a5d2e-0000-7000-8000-000000000001',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  decimal: '10.50',
};

const sampleText = ({ format, minLength, maxLength }: JsonObject): string => {
  const text = (typeof format === 'string' ? texts[format] : undefined) ?? 'example';
  const least = typeof minLength === 'number' ? text.padEnd(minLength, 'x') : text;
  return typeof maxLength === 'number' && format === undefined ? least.slice(0, maxLength) : least;
};

const sampleNumber = ({ minimum, maximum }: JsonObject): JsonValue => minimum ?? maximum ?? 1;

/** A valid value of a property; undefined when none can be made, for example for a pattern or a reference. */
const sampleValue = (property: JsonValue | undefined): JsonValue | undefined => {
  if (!isJsonObject(property) || '$ref' in property || 'pattern' in property) return undefined;
  const { type, enum: values } = property;
  if (Array.isArray(values)) return values[0];
  if (type === 'object') return sampleRecord(property);
  if (type === 'array') return Number(property['minItems'] ?? 0) === 0 ? [] : undefined;
  if (type === 'boolean') return true;
  return type === 'string' ? sampleText(property) : sampleNumber(property);
};

/** A record of a model without the properties that have no example; undefined when the model requires one of those. */
export const sampleRecord = (schema: JsonObject): JsonObject | undefined => {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const values = Object.entries(properties).map(([name, property]) => [name, sampleValue(property)] as const);
  const known = values.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return required.every((name) => known.some(([own]) => own === name)) ? Object.fromEntries(known) : undefined;
};
