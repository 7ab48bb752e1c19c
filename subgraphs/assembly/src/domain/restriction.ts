import type { Principal } from '@fds/auth';
import type { VersionAccess } from '@fds/data-access';
import type { CompiledModel } from '@fds/model-schema';

interface RestrictedVersion {
  readonly domainVersionUuid: string;
  readonly domainUuid: string;
  readonly zoneUuid: string;
  readonly model: CompiledModel;
}

/** The part of a version's data that data access rules leave to the caller; undefined without a restriction. */
export const restrictionOf = (
  { dataAccess }: Pick<Principal, 'dataAccess'>,
  { domainVersionUuid: uuid, domainUuid, zoneUuid, model }: RestrictedVersion,
): VersionAccess | undefined => {
  const access = dataAccess?.of('GET', { uuid, domainUuid, zoneUuid, model });
  return access === undefined || access.isWhole ? undefined : access;
};
