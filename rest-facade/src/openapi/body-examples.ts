/** Stands for a resource that exists; Swagger UI of the service replaces it with the uuid of an existing resource. */
export const sampleUuid = '019a5d2e-0000-7000-8000-000000000001';

const note = 'Sent from the API documentation';
const zone = { name: 'Example zone', description: note };
const group = { name: 'Example group', description: note };
// an inactive entry has no effect
const chainEntry = { name: 'Example entry', domainVersionUuid: sampleUuid, get: 'ALLOW', active: false };
const operationalEntry = { name: 'Example entry', domainVersionUuid: sampleUuid, post: 'ALLOW', active: false };
const grant = { action: 'GET', resource: '/zones' };
const record = { email: 'ada@example.org', name: 'Ada' };
const model = { properties: { email: { type: 'string', format: 'email' }, name: { type: 'string' } } };

/**
 * Bodies of requests that create or query, by operation. Each can be sent unchanged, or with uuids of existing
 * resources.
 */
const creations: Readonly<Record<string, unknown>> = {
  createZone: zone,
  createChildZone: zone,
  createAdaptorType: { name: 'Example type', description: note, version: '1', defaultCapabilities: [] },
  createAdaptor: { name: 'Example adaptor', description: note, capabilities: [], metadata: {} },
  createAdaptorPreference: { domainVersionUuid: sampleUuid, adaptorUuid: sampleUuid, preferenceType: 'GOLD' },
  createDomain: { name: 'person', description: note, domainType: 'SERVICE_DATA_STORE' },
  createDomainVersion: { modelSchema: model, drKeyProperties: ['email'] },
  createDataRecord: { name: 'person', json: record },
  importDataRecords: [record],
  createInboundAcls: chainEntry,
  createOutboundAcls: chainEntry,
  createOperationalAcls: operationalEntry,
  checkOperationalAcl: { domainVersionUuid: sampleUuid, post: 'DENY' },
  dryRunAcls: { action: 'PUT', domainVersionUuid: sampleUuid, drUuid: sampleUuid, jsonData: JSON.stringify(record) },
  rehearseAcls: {
    inboundAcls: [{ name: 'No new records', post: 'DENY' }],
    events: { last: 1000 },
  },
  planConfiguration: [{ kind: 'Group', name: 'Root/Example group', spec: { description: note } }],
  createBackup: { passphrase: 'a long sentence that you keep secret' },
  createUser: { username: 'example.user', name: 'Example user' },
  createGroup: group,
  createRole: { name: 'Example role', description: note, permissions: [grant] },
  // a role without rules also allows everything
  createDataAccessRules: { effect: 'ALLOW' },
  // differs from the permission in the example of a role, because a holder can have each permission only once
  createPermission: { action: 'GET', resource: '/domains', holderType: 'ROLE', holderUuid: sampleUuid },
  // the host name cannot be resolved, so nothing is delivered
  putNotification: {
    callback: 'https://receiver.example/hook',
    callbackType: 'WEB_HOOK',
    events: [{ resource: '/zones', actions: ['POST'] }],
  },
  startReconciliation: { domainVersionUuid: sampleUuid, preview: true, values: 'KEEP' },
  startAdaptorRedelivery: { from: 1_764_288_000_000, to: 1_764_374_400_000, domainVersionUuid: sampleUuid },
  settleZoneIssues: { filter: { code: 'UNKNOWN_PROPERTY', property: 'nmae' }, preview: true },
  assemble: { domain: 'person', zoneUuid: sampleUuid, size: 10, timeout: 5 },
};

/** Operations that replace a resource, with the operation that creates it. */
const replacements: Readonly<Record<string, string>> = {
  replaceZone: 'createZone',
  replaceAdaptorType: 'createAdaptorType',
  replaceAdaptor: 'createAdaptor',
  replaceDomain: 'createDomain',
  replaceVersion: 'createDomainVersion',
  replaceVersionOfDomain: 'createDomainVersion',
  replaceInboundAcl: 'createInboundAcls',
  replaceOutboundAcl: 'createOutboundAcls',
  replaceOperationalAcl: 'createOperationalAcls',
  replaceUser: 'createUser',
  replaceGroup: 'createGroup',
  replaceRole: 'createRole',
  replaceDataAccessRule: 'createDataAccessRules',
  replacePermission: 'createPermission',
};

const described = { description: note, changeVersion: 1 };
const named = { name: 'Example entry', changeVersion: 1 };
const priority = { issuePriority: 'LOW', changeVersion: 1 };

/** Bodies of requests that change members, and of requests that replace lists. */
const changes: Readonly<Record<string, unknown>> = {
  patchZone: described,
  patchAdaptorType: described,
  patchAdaptor: described,
  patchDomain: described,
  patchVersion: { modelSchema: { properties: { phone: { type: 'string' } } }, changeVersion: 1 },
  patchVersionOfDomain: { modelSchema: { properties: { phone: { type: 'string' } } }, changeVersion: 1 },
  patchProperty: { description: note },
  patchPropertyOfDomain: { description: note },
  patchDataRecord: { name: 'Ada' },
  patchInboundAcl: named,
  patchOutboundAcl: named,
  patchOperationalAcl: named,
  patchUser: { name: 'Example user', changeVersion: 1 },
  patchGroup: described,
  patchRole: described,
  patchDataAccessRule: { effect: 'ALLOW', changeVersion: 1 },
  patchPermission: { resource: '/domains', changeVersion: 1 },
  replaceDataAccessRules: [{ effect: 'ALLOW' }],
  replaceAdaptorPreferences: [creations['createAdaptorPreference']],
  setAdaptorPreference: { domainVersionUuid: sampleUuid, preferenceType: 'GOLD' },
  addInboundAclRecords: [sampleUuid],
  addOutboundAclRecords: [sampleUuid],
  replaceGroupUsers: [sampleUuid],
  replaceRoleUsers: [sampleUuid],
  redeliverNotifications: { from: 1_767_225_600_000, to: 1_767_229_200_000 },
  ...Object.fromEntries(
    ['Zone', 'Adaptor', 'AdaptorVersion'].flatMap((level) => [
      [`replace${level}Issue`, { title: 'Example title', ...priority }],
      [`patch${level}Issue`, priority],
    ]),
  ),
};

/** An example of the JSON body of an operation; undefined when it has none. */
export const bodyExampleOf = (operationId: string): unknown => {
  const created = replacements[operationId];
  if (created !== undefined) return { ...(creations[created] as object), changeVersion: 1 };
  return creations[operationId] ?? changes[operationId];
};
