import type { EffectiveRequest } from '../effective-request.js';

/**
 * The request that assembles referenced records of a version. It has the parameters, adaptors and priorities of the
 * client's request, but not the members that select records and properties, since those are about other records
 * (docs/reference/assembly.md#references).
 *
 * @param remainingMs that remain of the request's time-out
 */
export const referencedRequest = (
  request: EffectiveRequest,
  { domainName, versionNumber }: { readonly domainName: string; readonly versionNumber: number },
  remainingMs: number,
): EffectiveRequest => {
  const { requestedProperties: _p, drUuids: _u, drKeys: _k, query: _q, sort: _s, options: _o, ...shared } = request;
  return {
    ...shared,
    domain: domainName,
    versionNumber,
    page: 0,
    timeout: Math.max(0, Math.floor(remainingMs)) / 1000,
  };
};
