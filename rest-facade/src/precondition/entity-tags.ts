import { hash } from 'node:crypto';

/** An entity tag of a header (RFC 9110 section 8.8.3). */
export interface EntityTag {
  /** Without the quotes. */
  readonly value: string;
  readonly weak: boolean;
}

/** The content of `If-Match` or `If-None-Match`: any existing resource, or a resource with one of the tags. */
export type EntityTags = '*' | readonly EntityTag[];

const quoted = /\s*(W\/)?"([\u0021\u0023-\u007e\u0080-\u00ff]*)"\s*(?:,|$)/y;
const bareVersion = /^\s*\d{1,19}\s*$/;

/** Reads the header. A bare number is also accepted as a tag. Undefined when it is neither `*` nor a list of tags. */
export const parseEntityTags = (header: string): EntityTags | undefined => {
  if (header.trim() === '*') return '*';
  if (bareVersion.test(header)) return [{ value: header.trim(), weak: false }];
  const tags: EntityTag[] = [];
  for (quoted.lastIndex = 0; quoted.lastIndex < header.length;) {
    const found = quoted.exec(header);
    if (found === null) return undefined;
    tags.push({ value: found[2] ?? '', weak: found[1] !== undefined });
  }
  return tags.length === 0 ? undefined : tags;
};

const versionPart = /^(\d{1,19})(?:\.|$)/;
const codingPart = /;(?:br|gzip)$/;

/** A compressed answer is another representation, so it needs another strong tag (RFC 9110 section 8.8.3.3). */
export const withCoding = (tag: string, coding: 'br' | 'gzip'): string => tag.replace(/"$/, `;${coding}"`);

/** The value that the tag of the same answer has without compression. */
const plainValue = ({ value }: EntityTag): string => value.replace(codingPart, '');

/** The changeVersion in one of our tags. */
export const changeVersionOf = (tag: EntityTag): bigint | undefined => {
  const text = versionPart.exec(plainValue(tag))?.[1];
  return text === undefined ? undefined : BigInt(text);
};

const stands = (tag: EntityTag, quotedTag: string): boolean => `"${plainValue(tag)}"` === quotedTag;

/**
 * The tag of the list that matches by weak comparison (RFC 9110 section 8.8.3.2). It identifies the representation that
 * the caller has. Tags here have their quotes and no coding.
 */
export const matchedWeakly = (tags: EntityTags, tag: string): string | undefined => {
  if (tags === '*') return tag;
  const matched = tags.find((each) => stands(each, tag));
  return matched && `"${matched.value}"`;
};

/**
 * Does one of them match the tag by strong comparison? The tag of a compressed answer matches like that of the same
 * answer without compression.
 */
export const matchesStrongly = (tags: EntityTags, tag: string): boolean =>
  tags === '*' || tags.some((each) => !each.weak && stands(each, tag));

/** Tag of a resource whose answers change only with its changeVersion. */
export const versionTag = (changeVersion: number | bigint): string => `"${changeVersion}"`;

/** Tag of an answer that can change without the changeVersion. It begins with the changeVersion if there is one. */
export const contentTag = (changeVersion: number | bigint | undefined, body: string): string => {
  const digest = hash('sha1', body, 'base64url');
  return changeVersion === undefined ? `"${digest}"` : `"${changeVersion}.${digest}"`;
};
