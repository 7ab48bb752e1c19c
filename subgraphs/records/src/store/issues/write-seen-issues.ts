import { writePerVersion, writeVisible, type RestrictedVersion, type Visibility } from '@fds/record-rows';
import type { SqlParameters } from '@fds/search-sql';

// an event whose record is not known is like one of a record that no rule names
const recordUuid = `coalesce(i.record_uuid, '00000000-0000-0000-0000-000000000000'::uuid)`;

/**
 * A test on rows of `i`: is something of the record that the event is about to be seen? Of an event that names no version nobody
 * can say what it is about, so that there is nothing to see in it but that it came.
 *
 * @param requiredOf properties of a version that must be visible. Default: those of `visibility`
 */
export const writeSeenIssues = (
  visibility: Visibility,
  parameters: SqlParameters,
  requiredOf: (version: RestrictedVersion) => readonly string[] = () => visibility.required,
): string => {
  const seen = writePerVersion(visibility, 'i.domain_version_uuid', parameters, (version) => {
    const { uuid, domainType } = version;
    const sight = { ...visibility, required: requiredOf(version) };
    const held = writeVisible(sight, uuid, { uuid: recordUuid, adaptor: 'i.adaptor_uuid' }, parameters);
    if (domainType === 'FEDERATED') return held;
    return `(${held} AND ${writeVisible(sight, uuid, { uuid: recordUuid, adaptor: null }, parameters)})`;
  });
  // nobody can say what rules leave of a version that is gone
  return `(i.domain_version_uuid IS NULL OR (${seen}
           AND EXISTS (SELECT FROM domain_version known WHERE known.uuid = i.domain_version_uuid)))`;
};
