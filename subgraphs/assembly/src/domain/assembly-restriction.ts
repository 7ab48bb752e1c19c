import type { Principal } from '@fds/auth';
import { restrictionOf, type VersionAccess } from '@fds/access-rules';
import type { CompiledModel } from '@fds/model-schema';

interface AssembledVersion {
  readonly domainVersionUuid: string;
  readonly domainUuid: string;
  readonly zoneUuid: string;
  readonly model: CompiledModel;
}

/** `restrictionOf` for reading a version whose records are assembled. */
export const assemblyRestriction = (
  principal: Pick<Principal, 'dataAccess'>,
  { domainVersionUuid: uuid, domainUuid, zoneUuid, model }: AssembledVersion,
): VersionAccess | undefined => restrictionOf(principal, 'GET', { uuid, domainUuid, zoneUuid, model });
