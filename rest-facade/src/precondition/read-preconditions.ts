import type { IncomingHttpHeaders } from 'node:http';
import type { Reading } from '../causes/reading.js';
import { changeVersionOf, parseEntityTags, type EntityTags } from './entity-tags.js';

/** The change versions from which `If-Match` allows a change: any, or one of the list. */
export type AllowedVersions = '*' | readonly bigint[];

const readTags = (
  name: 'If-Match' | 'If-None-Match',
  header: string | undefined,
  reading: Reading,
): EntityTags | undefined => {
  if (header === undefined) return undefined;
  const tags = parseEntityTags(header);
  if (tags === undefined) {
    reading.add({ pointer: name, code: 'MALFORMED', detail: `${name} must be * or entity tags in double quotes` });
  }
  return tags;
};

/** The conditions of a read request. */
export interface ReadConditions {
  readonly match: EntityTags | undefined;
  readonly noneMatch: EntityTags | undefined;
}

/** @param reading receives code MALFORMED */
export const readConditions = (headers: IncomingHttpHeaders, reading: Reading): ReadConditions => ({
  match: readTags('If-Match', headers['if-match'], reading),
  noneMatch: readTags('If-None-Match', headers['if-none-match'], reading),
});

/**
 * Reads the versions from which a change may start. Weak tags never match (RFC 9110 section 13.1.1).
 *
 * @param reading receives codes MALFORMED, NOT_ALLOWED
 */
export const readAllowedVersions = (headers: IncomingHttpHeaders, reading: Reading): AllowedVersions | undefined => {
  if (headers['if-none-match'] !== undefined) {
    const detail = 'If-None-Match is for reading; to guard a change send If-Match';
    reading.add({ pointer: 'If-None-Match', code: 'NOT_ALLOWED', detail });
  }
  const tags = readTags('If-Match', headers['if-match'], reading);
  if (tags === undefined || tags === '*') return tags;
  return tags.filter(({ weak }) => !weak).flatMap((tag) => changeVersionOf(tag) ?? []);
};
