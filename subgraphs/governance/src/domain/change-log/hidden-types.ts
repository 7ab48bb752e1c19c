import type { Principal } from '@fds/auth';

/** Types whose entries follow data. */
const dataTypes = ['Dr', 'DataIssue'] as const;

/**
 * Types of entries that the caller may not see. An entry of a record or of a data issue tells that the record exists, and rules of data
 * access can hide that. Only a caller who may read all records, and all issues meant, sees such entries.
 */
export const hiddenTypes = ({ dataAccess, permits }: Principal, zoneUuid: string | undefined): readonly string[] => {
  if (dataAccess !== undefined) return dataTypes;
  const issues = zoneUuid === undefined ? '/zones/?/issues' : `/zones/${zoneUuid}/issues`;
  return [...(permits('GET', '/drs') ? [] : ['Dr']), ...(permits('GET', issues) ? [] : ['DataIssue'])];
};
