import { writeVisibleRows, type VersionAccess } from '@fds/access-rules';
import type { SqlParameters } from '../sql/sql-parameters.js';

/** A version with partly hidden data. */
export interface RestrictedVersion {
  readonly uuid: string;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly access: VersionAccess;
}

/** The part of the rows of a listing that a caller may see. */
export interface Visibility {
  /** All data of other versions is visible. */
  readonly versions: readonly RestrictedVersion[];
  /** Properties that a row must show: those that it is searched and sorted by. In the model's spelling. */
  readonly required: readonly string[];
}

interface Columns {
  readonly uuid: string;
  /** SQL of the adaptor that links the record; null where the server has the data. */
  readonly adaptor: string | null;
}

/** Rows of one version, all linked or none. */
export const writeVisible = (
  { versions, required }: Visibility,
  versionUuid: string | undefined,
  columns: Columns,
  parameters: SqlParameters,
): string => {
  const version = versions.find(({ uuid }) => uuid === versionUuid);
  return version === undefined ? 'true' : writeVisibleRows(version.access, { ...columns, required }, parameters);
};

/** Rows of several versions: `test` says for each restricted one which of its rows are meant. */
export const writePerVersion = (
  { versions }: Visibility,
  column: string,
  parameters: SqlParameters,
  test: (version: RestrictedVersion) => string,
): string =>
  versions.length === 0
    ? 'true'
    : `(CASE ${versions
        .map((version) => `WHEN ${column} = ${parameters.add(version.uuid)}::uuid THEN ${test(version)}`)
        .join(' ')} ELSE true END)`;
