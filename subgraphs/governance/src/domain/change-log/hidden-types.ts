import type { Principal } from '@fds/auth';

/** Types of entries that depend on data. */
const dataTypes = ['Dr', 'DataIssue'] as const;

/**
 * Types of entries that the caller may not see. An entry about a record or a data issue shows that the record exists,
 * and data access rules can hide that. Only a caller who may read all records, or all data issues in question, sees
 * such entries.
 */
export const hiddenTypes = ({ dataAccess, permits }: Principal, zoneUuid: string | undefined): readonly string[] => {
  if (dataAccess !== undefined) return dataTypes;
  const issues = zoneUuid === undefined ? '/zones/?/issues' : `/zones/${zoneUuid}/issues`;
  return [...(permits('GET', '/drs') ? [] : ['Dr']), ...(permits('GET', issues) ? [] : ['DataIssue'])];
};
