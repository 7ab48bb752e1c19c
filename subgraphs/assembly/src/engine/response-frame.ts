import type { EndLine } from '@fds/assembly-contract';
import { schemaEntries } from '../domain/schema-entries.js';
import type { AssemblyScope } from './plan/assembly-scope.js';

/** The effective request with the members of the specification. A member without a default that was not given is null. */
const virtualizationRequest = ({
  request,
  version,
}: Pick<AssemblyScope, 'request' | 'version'>): EndLine['virtualizationRequest'] => ({
  page: request.page,
  size: request.size,
  timeout: request.timeout,
  releasePolicy: request.releasePolicy,
  expandRefs: request.expandRefs,
  outputType: request.outputType,
  drUuids: request.drUuids ?? null,
  domain: version.domainName,
  versionNumber: version.versionNumber,
  domainVersionUuid: version.domainVersionUuid,
  zoneUuid: request.zoneUuid,
  requestedProperties: request.requestedProperties ?? null,
  goldAdaptors: request.goldAdaptors ?? null,
  silverAdaptors: request.silverAdaptors ?? null,
  bronzeAdaptors: request.bronzeAdaptors ?? null,
  adaptors: request.adaptors ?? null,
  drKeys: request.drKeys ?? null,
  query: request.query ?? null,
  sort: request.sort ?? null,
  additionalParams: request.additionalParams ?? null,
});

/** A response without its records. */
export const responseFrame = (
  uuid: string,
  { request, version, restriction, merge }: AssemblyScope,
  totalElements: number,
): Omit<EndLine, 'completeness'> => {
  const { domainName: domain, versionNumber, domainVersionUuid } = version;
  const { page, size } = request;
  return {
    uuid,
    domain,
    versionNumber,
    domainVersionUuid,
    virtualizationRequest: virtualizationRequest({ request, version }),
    _page: { page, size, totalElements, totalPages: Math.ceil(totalElements / size) },
    schemaEntries: schemaEntries(merge.requested, restriction),
  };
};
