import type { EndLine } from '@fds/assembly-contract';
import { schemaEntries } from '../domain/schema-entries.js';
import type { AssemblyScope } from './plan/assembly-scope.js';

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
    virtualizationRequest: { ...request, domain, versionNumber, domainVersionUuid, outputType: 'FULL' },
    _page: { page, size, totalElements, totalPages: Math.ceil(totalElements / size) },
    schemaEntries: schemaEntries(merge.requested, restriction),
  };
};
