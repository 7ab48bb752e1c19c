import { writePerVersion, writeVisible, type Visibility } from '@fds/record-rows';
import type { SqlParameters } from '@fds/search-sql';

// an event whose record is not known is like one of a record that no rule names
const recordUuid = `coalesce(i.record_uuid, '00000000-0000-0000-0000-000000000000'::uuid)`;

/**
 * A test on rows of `i`: is something of the record that the event is about to be seen? Of an event that names no version nobody
 * can say what it is about, so that there is nothing to see in it but that it came.
 */
export const writeSeenIssues = (visibility: Visibility, parameters: SqlParameters): string => {
  const seen = writePerVersion(visibility, 'i.domain_version_uuid', parameters, ({ uuid, domainType }) => {
    const held = writeVisible(visibility, uuid, { uuid: recordUuid, adaptor: 'i.adaptor_uuid' }, parameters);
    if (domainType === 'FEDERATED') return held;
    return `(${held} AND ${writeVisible(visibility, uuid, { uuid: recordUuid, adaptor: null }, parameters)})`;
  });
  // nobody can say what rules leave of a version that is gone
  return `(i.domain_version_uuid IS NULL OR (${seen}
           AND EXISTS (SELECT FROM domain_version known WHERE known.uuid = i.domain_version_uuid)))`;
};
