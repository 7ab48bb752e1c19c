import { hash } from 'node:crypto';

/** An entity tag as a header carries it (RFC 9110 section 8.8.3). */
export interface EntityTag {
  /** Without the quotes. */
  readonly value: string;
  readonly weak: boolean;
}

/** The content of `If-Match` or `If-None-Match`: any present resource, or one that has one of the tags. */
export type EntityTags = '*' | readonly EntityTag[];

const quoted = /\s*(W\/)?"([\u0021\u0023-\u007e\u0080-\u00ff]*)"\s*(?:,|$)/y;
const bareVersion = /^\s*\d{1,19}\s*$/;

/** Reads the header; a bare number is taken for a tag too. Undefined: it is neither `*` nor a list of tags. */
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

/** A compressed answer is another representation, so that it has another strong tag (RFC 9110 section 8.8.3.3). */
export const withCoding = (tag: string, coding: 'br' | 'gzip'): string => tag.replace(/"$/, `;${coding}"`);

/** The value of the tag that the same answer has without compression. */
const plainValue = ({ value }: EntityTag): string => value.replace(codingPart, '');

/** The changeVersion that a tag of ours carries. */
export const changeVersionOf = (tag: EntityTag): bigint | undefined => {
  const text = versionPart.exec(plainValue(tag))?.[1];
  return text === undefined ? undefined : BigInt(text);
};

const stands = (tag: EntityTag, quotedTag: string): boolean => `"${plainValue(tag)}"` === quotedTag;

/**
 * The one of them that matches the tag, weakly compared (RFC 9110 section 8.8.3.2): it names the representation that the
 * caller has. The tags here carry their quotes and no coding.
 */
export const matchedWeakly = (tags: EntityTags, tag: string): string | undefined => {
  if (tags === '*') return tag;
  const matched = tags.find((each) => stands(each, tag));
  return matched && `"${matched.value}"`;
};

/** Is one of them the tag, strongly compared? The tag of a compressed answer counts as that of the same answer without compression. */
export const matchesStrongly = (tags: EntityTags, tag: string): boolean =>
  tags === '*' || tags.some((each) => !each.weak && stands(each, tag));

/** Tag of a resource whose answers change only with its changeVersion. */
export const versionTag = (changeVersion: number | bigint): string => `"${changeVersion}"`;

/** Tag of an answer that may change on its own; it begins with the changeVersion where there is one. */
export const contentTag = (changeVersion: number | bigint | undefined, body: string): string => {
  const digest = hash('sha1', body, 'base64url');
  return changeVersion === undefined ? `"${digest}"` : `"${changeVersion}.${digest}"`;
};
