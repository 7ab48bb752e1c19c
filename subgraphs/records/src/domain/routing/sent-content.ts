import type { ContentHashes } from './content-hashes.js';

/** The properties of a message and hashes of their values in hexadecimal: ten bytes for each. */
export type SentContent = string;

const nameDigits = 8;
const valueDigits = 12;
const entryDigits = nameDigits + valueDigits;

/** FNV-1a, 32 bits. */
const hashName = (name: string): string => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(nameDigits, '0');
};

const entryOf = (name: string, valueHash: string): string => `${hashName(name)}${valueHash.slice(0, valueDigits)}`;

/** The content goes to many destinations. */
const written = new WeakMap<ContentHashes, SentContent>();

/** The content of a message, to recognise it after the message itself is forgotten. */
export const toSentContent = (content: ContentHashes): SentContent => {
  const known = written.get(content);
  if (known !== undefined) return known;
  const text = Object.entries(content)
    .map(([name, hash]) => entryOf(name, hash))
    .join('');
  written.set(content, text);
  return text;
};

/** Did the message have the property, with any value? */
export const namesProperty = (sent: SentContent, name: string): boolean => {
  const hash = hashName(name);
  for (let at = 0; at < sent.length; at += entryDigits) {
    if (sent.startsWith(hash, at)) return true;
  }
  return false;
};

/** Did the message give the property this value? */
export const hasSent = (sent: SentContent, name: string, valueHash: string): boolean => {
  const entry = entryOf(name, valueHash);
  for (let at = 0; at < sent.length; at += entryDigits) {
    if (sent.startsWith(entry, at)) return true;
  }
  return false;
};
