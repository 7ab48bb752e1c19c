import type { Principal } from '@fds/auth';
import type { SourceAccess, VersionAccess } from '@fds/data-access';
import type { CompiledModel } from '@fds/model-schema';
import type { EffectiveRequest } from './effective-request.js';
import type { Source } from './source.js';

interface RestrictedVersion {
  readonly domainVersionUuid: string;
  readonly domainUuid: string;
  readonly zoneUuid: string;
  readonly model: CompiledModel;
}

/** What data access rules leave to the caller of a version's data; undefined where nothing is held back. */
export const restrictionOf = (
  { dataAccess }: Pick<Principal, 'dataAccess'>,
  { domainVersionUuid: uuid, domainUuid, zoneUuid, model }: RestrictedVersion,
): VersionAccess | undefined => {
  const access = dataAccess?.of('GET', { uuid, domainUuid, zoneUuid, model });
  return access === undefined || access.isWhole ? undefined : access;
};

type Requested = Pick<EffectiveRequest, 'requestedProperties'>;

/** What an adaptor is asked for: of what the request asks, all that may be seen of any of the records. Null: everything. */
export const propertiesToAsk = (
  { requestedProperties }: Requested,
  access: SourceAccess | undefined,
  recordUuids: ReadonlySet<string>,
): string[] | null => {
  if (access === undefined) return requestedProperties === undefined ? null : [...requestedProperties];
  const visible = new Set([...recordUuids].flatMap((uuid) => [...access.of(uuid).names]));
  if (requestedProperties === undefined) return [...visible];
  const folded = new Set([...visible].map((name) => name.toLowerCase()));
  return requestedProperties.filter((name) => folded.has(name.toLowerCase()));
};

/** Is there anything that the request asks for and may be seen of the record as the source has it? */
export const mayAskOf =
  (request: Requested, restriction: VersionAccess): ((source: Source, recordUuid: string) => boolean) =>
  (source, recordUuid) => {
    const access = restriction.at(source);
    if (access.of(recordUuid).extent === 'NONE') return false;
    return (
      request.requestedProperties === undefined || propertiesToAsk(request, access, new Set([recordUuid]))?.length !== 0
    );
  };
