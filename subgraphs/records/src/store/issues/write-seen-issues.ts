import {
  writePerVersion,
  writeVisible,
  type RestrictedVersion,
  type Visibility,
  type SqlParameters,
} from '@fds/search';

// an event whose record is not known is like one of a record that no rule names
const recordUuid = `coalesce(i.record_uuid, '00000000-0000-0000-0000-000000000000'::uuid)`;

/**
 * A test on rows of `i`: is something of the record that the event is about to be seen? An event that names no version
 * cannot be related to data, so that only its arrival is visible.
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
    const parked = writeVisible(sight, uuid, { uuid: recordUuid, adaptor: 'i.adaptor_uuid' }, parameters);
    if (domainType === 'FEDERATED') return parked;
    return `(${parked} AND ${writeVisible(sight, uuid, { uuid: recordUuid, adaptor: null }, parameters)})`;
  });
  // the rules cannot be applied to a version that no longer exists
  return `(i.domain_version_uuid IS NULL OR (${seen}
           AND EXISTS (SELECT FROM domain_version known WHERE known.uuid = i.domain_version_uuid)))`;
};
