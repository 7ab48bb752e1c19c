import { hash } from 'node:crypto';
import { canonicalJson, type JsonObject, type JsonValue } from '@fds/json';

/**
 * Property to 64-bit hash of the value that an adaptor is known to hold, in hexadecimal. `_fdsSent` are the notes of what it
 * was sent lately (`sent-notes.ts`). Names starting so are no property's.
 */
export type KnownContent = Readonly<Record<string, string>>;

/** Marks an adaptor that was sent a DELETE and has not reported it yet. */
export const deletionSent: KnownContent = { _fdsDeletionSent: '1' };

/** Was the adaptor told to delete the record? What it holds then counts as nothing. */
export const awaitsDeletion = (known: KnownContent | undefined): boolean =>
  known !== undefined && Object.hasOwn(known, '_fdsDeletionSent');

const hashHexDigits = 16;

const hashOf = (value: JsonValue): string => hash('sha1', canonicalJson(value), 'hex').slice(0, hashHexDigits);

/** The hashes of a record's properties. */
export const contentOf = (record: JsonObject): KnownContent => {
  const content: Record<string, string> = {};
  for (const [property, value] of Object.entries(record)) {
    if (value !== undefined) content[property] = hashOf(value);
  }
  return content;
};

/** Does the content say anything that the adaptor is not known to hold? */
export const changes = (content: KnownContent, known: KnownContent | undefined): boolean =>
  known === undefined || Object.keys(content).some((property) => content[property] !== known[property]);

/** What is known after the content was reported by the adaptor, or queued for it. */
export const overlay = (known: KnownContent | undefined, content: KnownContent): KnownContent => {
  if (known === undefined) return content;
  if (!awaitsDeletion(known)) return { ...known, ...content };
  const { _fdsSent: notes } = known;
  return notes === undefined ? content : { ...content, _fdsSent: notes };
};

/** The content without some properties. */
export const without = (content: KnownContent, properties: readonly string[]): KnownContent =>
  properties.length === 0
    ? content
    : Object.fromEntries(Object.entries(content).filter(([property]) => !properties.includes(property)));
