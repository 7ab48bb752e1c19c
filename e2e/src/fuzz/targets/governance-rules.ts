import fc from 'fast-check';
import type { FuzzTarget } from '../fuzz-target.js';
import { validRecord, type FuzzStage } from '../open-fuzz-stage.js';
import { askHttp } from '../values/ask-http.js';
import { slightlyBent } from '../values/hostile-values.js';

/** ACL entries that are only checked, dry-runs, and lists of data access rules that replace each other. */
export const governanceRules = async ({ doors, store }: FuzzStage): Promise<FuzzTarget> => {
  const { service, admin, dgs, root } = doors;
  const role = await admin.rest<{ uuid: string }>('POST', `/zones/${root}/roles`, { name: 'Fuzzed' });
  const { domainVersionUuid, domainUuid } = store;
  const entry = {
    sourceZoneUuid: root,
    sourceAdaptorUuid: null,
    domainVersionUuid,
    post: 'DENY',
    delete: 'ALLOW',
  };
  const change = {
    action: 'POST',
    sourceZoneUuid: root,
    sourceAdaptorUuid: null,
    domainVersionUuid,
    drUuid: null,
    jsonData: JSON.stringify(validRecord),
  };
  const rule = {
    effect: 'DENY',
    actions: ['GET'],
    zoneUuid: null,
    adaptorUuid: null,
    domainUuid,
    domainVersionUuid: null,
    properties: ['id'],
    drUuids: null,
  };
  const requests = fc.oneof(
    slightlyBent(entry).map((json) => ['POST', '/operational-acls/check', json, dgs.token] as const),
    slightlyBent(change).map((json) => ['POST', `/zones/${root}/acls/dry-run`, json, dgs.token] as const),
    fc
      .array(slightlyBent(rule), { maxLength: 3 })
      .map((json) => ['PUT', `/zones/${root}/roles/${role.body.uuid}/data-access-rules`, json, admin.token] as const),
  );
  return {
    name: 'rules',
    cases: requests.map(([method, path, json, token]) =>
      askHttp({
        url: `${service.baseUrl}/api${path}`,
        sent: { method, json, ...(token === undefined ? {} : { token }) },
      }),
    ),
  };
};
