import { hash } from 'node:crypto';
import { canonicalJson, type JsonObject, type JsonValue } from '@fds/json';

/**
 * Property to 64-bit hash of the value that an adaptor is known to hold, in hexadecimal. `_fdsSent` contains the notes about
 * its latest messages (`sent-notes.ts`), `_fdsWithheld` the properties that it lacks, `_fdsWaiting` the positions of its
 * events that wait (`waiting-positions.ts`). No property has such a name.
 */
export type KnownContent = Readonly<Record<string, string>>;

/** Marks an adaptor that was sent a DELETE and has not reported it yet. */
export const deletionSent: KnownContent = { _fdsDeletionSent: '1' };

/** Was the adaptor told to delete the record? Its content then counts as empty. */
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

/** Members that describe messages and events. They stay when the content is replaced. */
const keptMembers: readonly string[] = ['_fdsSent', '_fdsWithheld', '_fdsWaiting'];

/** The known content after the adaptor reported it, or after it was queued for the adaptor. */
export const overlay = (known: KnownContent | undefined, content: KnownContent): KnownContent => {
  if (known === undefined) return content;
  if (!awaitsDeletion(known)) return { ...known, ...content };
  const overlaid: Record<string, string> = { ...content };
  for (const name of keptMembers) {
    const value = known[name];
    if (value !== undefined) overlaid[name] = value;
  }
  return overlaid;
};

const noNames: readonly string[] = [];

/**
 * Properties of a data-store record that an adaptor lacks, because governance kept back the last change of them. They stay with
 * those who may have them until they are changed again.
 */
export const withheldFrom = (known: KnownContent | undefined): readonly string[] => {
  const text = known?.['_fdsWithheld'];
  return text === undefined ? noNames : text.split(',').map(decodeURIComponent);
};

/** The content, with these properties as those that the adaptor lacks. */
export const withWithheld = (content: KnownContent, names: readonly string[]): KnownContent => {
  if (names.length === 0 && content['_fdsWithheld'] === undefined) return content;
  const noted: Record<string, string> = { ...content };
  if (names.length === 0) delete noted['_fdsWithheld'];
  else noted['_fdsWithheld'] = names.map(encodeURIComponent).join();
  return noted;
};

/** The content without some properties. */
export const without = (content: KnownContent, properties: readonly string[]): KnownContent =>
  properties.length === 0
    ? content
    : Object.fromEntries(Object.entries(content).filter(([property]) => !properties.includes(property)));
