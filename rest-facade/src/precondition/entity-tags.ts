import { hash } from 'node:crypto';

/** An entity tag as a header carries it (RFC 9110 section 8.8.3). */
export interface EntityTag {
  /** Without the quotes. */
  readonly value: string;
  readonly weak: boolean;
}

/** What `If-Match` or `If-None-Match` says: any present resource, or one that has one of the tags. */
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

/** The changeVersion that a tag of ours carries. */
export const changeVersionOf = ({ value }: EntityTag): bigint | undefined => {
  const text = versionPart.exec(value)?.[1];
  return text === undefined ? undefined : BigInt(text);
};

/** Is one of them the tag, weakly compared (RFC 9110 section 8.8.3.2)? `tag` with its quotes. */
export const matchesWeakly = (tags: EntityTags, tag: string): boolean =>
  tags === '*' || tags.some(({ value }) => `"${value}"` === tag);

/** Is one of them the tag, strongly compared? */
export const matchesStrongly = (tags: EntityTags, tag: string): boolean =>
  tags === '*' || tags.some(({ value, weak }) => !weak && `"${value}"` === tag);

/** Tag of a resource whose answers change only with its changeVersion. */
export const versionTag = (changeVersion: number | bigint): string => `"${changeVersion}"`;

/** Tag of an answer that may change on its own; it begins with the changeVersion where there is one. */
export const contentTag = (changeVersion: number | bigint | undefined, body: string): string => {
  const digest = hash('sha1', body, 'base64url');
  return changeVersion === undefined ? `"${digest}"` : `"${changeVersion}.${digest}"`;
};
