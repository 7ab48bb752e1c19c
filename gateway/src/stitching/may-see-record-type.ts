import type { Principal } from '@fds/auth';
import type { RecordTypeDefinition } from '@fds/record-types';

/**
 * A record type is visible to every caller who may read its domain version, by either path
 * (docs/reference/graphql.md#record-types).
 */
export const maySeeRecordType = (
  principal: Principal,
  { domainUuid, domainVersionUuid }: Pick<RecordTypeDefinition, 'domainUuid' | 'domainVersionUuid'>,
): boolean =>
  principal.permits('GET', `/domains/${domainUuid}/versions/${domainVersionUuid}`) ||
  principal.permits('GET', `/domains/versions/${domainVersionUuid}`);
