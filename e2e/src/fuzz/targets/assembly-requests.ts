import fc from 'fast-check';
import type { FuzzTarget } from '../fuzz-target.js';
import type { FuzzStage } from '../open-fuzz-stage.js';
import { askHttp } from '../values/ask-http.js';
import { anyJson, slightlyBent } from '../values/hostile-values.js';

/** Requests to the assembly service. The data-store domain answers at once, without waiting for an adaptor. */
export const assemblyRequests = ({ doors: { service, dgs, root } }: FuzzStage): FuzzTarget => {
  const valid = {
    zoneUuid: root,
    domain: 'store',
    versionNumber: 1,
    timeout: 1,
    releasePolicy: 'ASAP',
    expandRefs: true,
    maxRefSize: 2,
    maxRefDepth: 2,
    requestedProperties: ['id', 'inner.text'],
    drKeys: [{ id: 'a', count: 1, share: 0.5, open: true }],
    query: 'id:a',
    sort: '-count',
    page: 0,
    size: 2,
    additionalParams: { timestamp: 1 },
  };
  return {
    name: 'assembly',
    cases: fc.oneof({ weight: 9, arbitrary: slightlyBent(valid) }, anyJson).map((json) =>
      askHttp({
        url: `${service.assemblyUrl}/request`,
        sent: { method: 'POST', json, ...(dgs.token === undefined ? {} : { token: dgs.token }) },
      }),
    ),
  };
};
