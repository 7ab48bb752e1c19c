import { hash } from 'node:crypto';
import { canonicalJson, type JsonObject, type JsonValue } from '@fds/json';

/** Property to 64-bit hash of its value, in hexadecimal. */
export type ContentHashes = Readonly<Record<string, string>>;

const hashHexDigits = 16;

const hashOf = (value: JsonValue): string => hash('sha1', canonicalJson(value), 'hex').slice(0, hashHexDigits);

/** The hashes of a record's properties. */
export const contentOf = (record: JsonObject): ContentHashes => {
  const content: Record<string, string> = {};
  for (const [property, value] of Object.entries(record)) {
    if (value !== undefined) content[property] = hashOf(value);
  }
  return content;
};

/** The content without some properties. */
export const without = (content: ContentHashes, properties: readonly string[]): ContentHashes =>
  properties.length === 0
    ? content
    : Object.fromEntries(Object.entries(content).filter(([property]) => !properties.includes(property)));
