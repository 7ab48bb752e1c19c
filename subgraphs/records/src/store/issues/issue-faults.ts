import { namesRecords } from '@fds/access-rules';
import type { RestrictedVersion, Visibility, SqlParameters } from '@fds/search';
import { dataMembers, plainMembers } from '../../domain/issues/event-members.js';
import { writeSeenIssues } from './write-seen-issues.js';

/** The errors of issues that a caller may see. */
export interface FaultSight {
  /** May the caller read data records at all? Without it, issues show no data. */
  readonly readsData: boolean;
  /** Undefined: everything. */
  readonly visibility: Visibility | undefined;
  /** Top-level properties of a version's model. */
  propertiesOf(versionUuid: string): readonly string[];
}

/** The first errors of an issue are counted and searched. */
const maxFaults = 50;
const maxPointer = 512;

/**
 * The errors of issue `i`, each with `code` and `pointer`. The pointer has no positions in lists. PostgreSQL cannot read some
 * escaped characters that JSON allows: an issue with such an error has none here.
 */
export const faultsOfIssue = `
  SELECT DISTINCT e ->> 'code' AS code,
         left(regexp_replace(e ->> 'pointer', '/[0-9]+(?=/|$)', '', 'g'), ${maxPointer}) AS pointer
  FROM (
    SELECT e FROM json_array_elements(
      (CASE WHEN i.errors IS NULL OR i.errors ~ '\\\\u(0000|[dD][89a-fA-F])' THEN '[]' ELSE i.errors END)::json
    ) e LIMIT ${maxFaults}
  ) listed`;

const dataPrefix = `^/(${dataMembers.join('|')})(?=/|$)`;
const dataPrefixPattern = new RegExp(dataPrefix);

/** The dotted path of the property of an error; undefined: the error is about the event as a whole. */
export const propertyOfFault = (pointer: string): string | undefined => {
  const path = pointer.replace(dataPrefixPattern, '').slice(1).replaceAll('/', '.');
  return path === '' ? undefined : path;
};

// the same in SQL
const faultProperty = `replace(substr(regexp_replace(f.pointer, '${dataPrefix}', ''), 2), '/', '.')`;
const isPlain = `split_part(f.pointer, '/', 2) IN (${plainMembers.map((name) => `'${name}'`).join(', ')})`;

const topOf = (property: string): string => property.split('.', 1)[0] ?? property;

/** A test: the issue has a known version and shows these properties of its record. */
const writeShown = (
  { readsData, visibility }: FaultSight,
  parameters: SqlParameters,
  requiredOf: (version: RestrictedVersion) => readonly string[],
): string => {
  if (!readsData) return 'false';
  if (visibility === undefined) return 'true';
  // as `visibleOfIssue`: an event of an unknown record may be about a record that a rule names
  const naming = visibility.versions.filter(({ access }) => namesRecords(access)).map(({ uuid }) => uuid);
  const isKnown =
    naming.length === 0
      ? ''
      : ` AND (i.record_uuid IS NOT NULL OR i.domain_version_uuid <> ALL (${parameters.add(naming)}::uuid[]))`;
  return `(i.domain_version_uuid IS NOT NULL${isKnown} AND ${writeSeenIssues(visibility, parameters, requiredOf)})`;
};

/** Conditions on one error. */
export interface FaultFilter {
  readonly code?: string | null;
  readonly property?: string | null;
}

/**
 * Tests on the errors of issues `i`. They reveal nothing about hidden errors: the property must be visible. A code without a property
 * matches errors of the event as a whole, and every error where the whole record is visible.
 */
export const writeFaultFilter = (
  { code, property }: FaultFilter,
  sight: FaultSight,
  parameters: SqlParameters,
): string[] => {
  if ((code ?? null) === null && (property ?? null) === null) return [];
  const tests: string[] = [];
  if (code !== null && code !== undefined) tests.push(`f.code = ${parameters.add(code)}::text`);
  if (property === null || property === undefined) {
    const whole = writeShown(sight, parameters, ({ uuid }) => sight.propertiesOf(uuid));
    tests.push(`(${whole} OR (f.pointer = '' AND f.code <> 'ADAPTOR'))`);
  } else {
    tests.push(`${faultProperty} = ${parameters.add(property)}::text`);
    tests.push(`(${writeShown(sight, parameters, () => [topOf(property)])} OR ${isPlain})`);
  }
  return [`EXISTS (SELECT FROM (${faultsOfIssue}) f WHERE ${tests.join(' AND ')})`];
};
