/** A mutation that a test runs once, and the expected entry in the change log. */
export interface MutationCase {
  readonly by: 'admin' | 'dgs';
  /** Arguments. `$name` is the uuid of a kept resource, `$name.version` its changeVersion. */
  readonly args: string;
  /** Action and type of the entry; undefined: it changes no resource. */
  readonly logs: string | undefined;
  /** Name under which the resource of the answer is kept. */
  readonly keep?: string;
}

const json = (value: unknown): string => JSON.stringify(JSON.stringify(value));

const model = (names: readonly string[]): string =>
  `modelSchema: ${json({ properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) })}`;

const bytes = Buffer.from('[{"id":"imported"}]').toString('base64');

type Rows = readonly (readonly [name: string, args: string, logs: string | undefined, keep?: string])[];

const registration =
  'callback: "https://receiver.example/", callbackType: WEB_HOOK, events: [{resource: "/zones/?/users/?", actions: [DELETE]}]';

const byAdmin: Rows = [
  ['putNotification', `input: {${registration}}`, 'POST Notification'],
  ['renewNotificationSecret', 'notificationId: $registration', 'PATCH Notification'],
  // the delivery log is the log of messages
  ['redeliverNotifications', 'notificationId: $registration, input: {from: "2026-01-01T00:00:00Z"}', undefined],
  ['skipNotificationMessage', 'notificationId: $registration, messageUuid: $message', undefined],
  ['deleteNotification', 'notificationId: $registration', 'DELETE Notification'],
  // a plan is carried out and rolled back; its application is logged
  ['planConfiguration', `documents: ${json([{ kind: 'Group', name: 'Root/Planned', spec: {} }])}`, undefined, 'plan'],
  ['applyPlan', 'planUuid: $plan', 'POST Group'],
  ['createZone', 'input: {name: "North"}', 'POST Zone', 'north'],
  ['createChildZone', 'zoneUuid: $north, input: {name: "Child"}', 'POST Zone', 'child'],
  ['replaceZone', 'zoneUuid: $child, input: {name: "Kid", changeVersion: $child.version}', 'PUT Zone', 'child'],
  ['patchZone', 'zoneUuid: $child, input: {description: "x", changeVersion: $child.version}', 'PATCH Zone'],
  ['deleteZone', 'zoneUuid: $child', 'DELETE Zone'],
  ['createUser', 'zoneUuid: $root, input: {username: "robot", serviceAccount: true}', 'POST User', 'user'],
  [
    'replaceUser',
    'zoneUuid: $root, zoneUserUuid: $user, input: {username: "robot", name: "R", changeVersion: $user.version}',
    'PUT User',
    'user',
  ],
  [
    'patchUser',
    'zoneUuid: $root, zoneUserUuid: $user, input: {name: "Robot", changeVersion: $user.version}',
    'PATCH User',
  ],
  ['createGroup', 'zoneUuid: $root, input: {name: "All"}', 'POST Group', 'group'],
  [
    'replaceGroup',
    'zoneUuid: $root, groupUuid: $group, input: {name: "Some", changeVersion: $group.version}',
    'PUT Group',
    'group',
  ],
  [
    'patchGroup',
    'zoneUuid: $root, groupUuid: $group, input: {description: "x", changeVersion: $group.version}',
    'PATCH Group',
  ],
  ['replaceGroupUsers', 'zoneUuid: $root, groupUuid: $group, zoneUserUuids: [$user]', 'PATCH Group'],
  ['removeGroupUser', 'zoneUuid: $root, groupUuid: $group, zoneUserUuid: $user', 'PATCH Group'],
  ['createRole', 'zoneUuid: $root, input: {name: "Clerk"}', 'POST Role', 'role'],
  [
    'replaceRole',
    'zoneUuid: $root, roleUuid: $role, input: {name: "Clerks", changeVersion: $role.version}',
    'PUT Role',
    'role',
  ],
  [
    'patchRole',
    'zoneUuid: $root, roleUuid: $role, input: {description: "x", changeVersion: $role.version}',
    'PATCH Role',
  ],
  ['replaceRoleUsers', 'zoneUuid: $root, roleUuid: $role, zoneUserUuids: [$user]', 'PATCH Role'],
  ['removeRoleUser', 'zoneUuid: $root, roleUuid: $role, zoneUserUuid: $user', 'PATCH Role'],
  ['createDataAccessRules', 'zoneUuid: $root, roleUuid: $role, inputs: [{effect: DENY}]', 'PATCH Role', 'rule'],
  [
    'replaceDataAccessRule',
    'zoneUuid: $root, roleUuid: $role, ruleUuid: $rule, input: {effect: DENY, actions: [POST], changeVersion: $rule.version}',
    'PATCH Role',
    'rule',
  ],
  [
    'patchDataAccessRule',
    'zoneUuid: $root, roleUuid: $role, ruleUuid: $rule, input: {actions: [PUT], changeVersion: $rule.version}',
    'PATCH Role',
  ],
  ['deleteDataAccessRule', 'zoneUuid: $root, roleUuid: $role, ruleUuid: $rule', 'PATCH Role'],
  ['replaceDataAccessRules', 'zoneUuid: $root, roleUuid: $role, inputs: [{effect: DENY}]', 'PATCH Role'],
  [
    'createPermission',
    'zoneUuid: $root, input: {type: ALLOW, action: GET, resource: "/zones", holderType: ROLE, holderUuid: $role}',
    'POST Permission',
    'permission',
  ],
  [
    'replacePermission',
    'zoneUuid: $root, permissionUuid: $permission, input: {type: ALLOW, action: POST, resource: "/zones", holderType: ROLE, holderUuid: $role, changeVersion: $permission.version}',
    'PUT Permission',
    'permission',
  ],
  [
    'patchPermission',
    'zoneUuid: $root, permissionUuid: $permission, input: {action: PUT, changeVersion: $permission.version}',
    'PATCH Permission',
  ],
  ['deletePermission', 'zoneUuid: $root, permissionUuid: $permission', 'DELETE Permission'],
  ['deleteGroup', 'zoneUuid: $root, groupUuid: $group', 'DELETE Group'],
  ['deleteRole', 'zoneUuid: $root, roleUuid: $role', 'DELETE Role'],
  ['deleteUser', 'zoneUuid: $root, zoneUserUuid: $user', 'DELETE User'],
];

const ofChain = (chain: 'Inbound' | 'Outbound'): Rows => {
  const at = `zoneUuid: $root, ${chain.toLowerCase()}AclUuid: $acl`;
  const type = `${chain}Acl`;
  return [
    [`create${type}s`, 'zoneUuid: $root, inputs: [{name: "x", get: DENY, active: false}]', `POST ${type}`, 'acl'],
    [`replace${type}`, `${at}, input: {get: ALLOW, active: false, changeVersion: $acl.version}`, `PUT ${type}`, 'acl'],
    [`patch${type}`, `${at}, input: {name: "y", changeVersion: $acl.version}`, `PATCH ${type}`],
    [`add${type}Records`, `${at}, drUuids: [$record]`, `PUT ${type}`],
    [`remove${type}Record`, `${at}, drUuid: $record`, `PUT ${type}`],
    [`delete${type}`, at, `DELETE ${type}`],
  ];
};

const preference = 'domainVersionUuid: $version, preferenceType: GOLD';

const bySteward: Rows = [
  ['createAdaptorType', 'input: {name: "Type"}', 'POST AdaptorType', 'type'],
  [
    'replaceAdaptorType',
    'adaptorTypeUuid: $type, input: {name: "Types", changeVersion: $type.version}',
    'PUT AdaptorType',
    'type',
  ],
  [
    'patchAdaptorType',
    'adaptorTypeUuid: $type, input: {description: "x", changeVersion: $type.version}',
    'PATCH AdaptorType',
  ],
  ['deleteAdaptorType', 'adaptorTypeUuid: $type', 'DELETE AdaptorType'],
  ['createDomain', 'input: {name: "things"}', 'POST Domain', 'domain'],
  [
    'replaceDomain',
    'domainUuid: $domain, input: {name: "things", description: "x", changeVersion: $domain.version}',
    'PUT Domain',
  ],
  [
    'createDomainVersion',
    `domainUuid: $domain, input: {${model(['id'])}, drKeyProperties: ["id"]}`,
    'POST DomainVersion',
    'version',
  ],
  [
    'replaceDomainVersion',
    `domainVersionUuid: $version, input: {${model(['id', 'a'])}, drKeyProperties: ["id"], changeVersion: $version.version}`,
    'PUT DomainVersion',
    'version',
  ],
  [
    'patchDomainVersion',
    `domainVersionUuid: $version, input: {${model(['b'])}, changeVersion: $version.version}`,
    'PATCH DomainVersion',
  ],
  [
    'patchDomainVersionProperty',
    'domainVersionUuid: $version, propertyUuid: $property, description: "x"',
    'PATCH DomainVersion',
  ],
  [
    'patchDomain',
    'domainUuid: $domain, input: {defaultVersionNumber: 1, changeVersion: $domain.version}',
    'PATCH Domain',
  ],
  ['createAdaptor', 'zoneUuid: $root, input: {name: "Source"}', 'POST Adaptor', 'adaptor'],
  [
    'replaceAdaptor',
    'zoneUuid: $root, adaptorUuid: $adaptor, input: {name: "Sources", changeVersion: $adaptor.version}',
    'PUT Adaptor',
    'adaptor',
  ],
  [
    'patchAdaptor',
    `zoneUuid: $root, adaptorUuid: $adaptor, input: {capabilities: ${json([{ domainName: 'things', versionNumber: 1, action: 'POST' }])}, changeVersion: $adaptor.version}`,
    'PATCH Adaptor',
  ],
  ['reissueAdaptorRegistration', 'zoneUuid: $root, adaptorUuid: $adaptor', 'POST Adaptor'],
  [
    'createAdaptorPreference',
    `zoneUuid: $root, input: {adaptorUuid: $adaptor, ${preference}}`,
    'POST Preference',
    'preference',
  ],
  [
    'setAdaptorPreference',
    'zoneUuid: $root, adaptorUuid: $adaptor, input: {domainVersionUuid: $version, preferenceType: SILVER}',
    'PUT Preference',
  ],
  ['deleteAdaptorPreference', 'zoneUuid: $root, adaptorOrPreferenceUuid: $preference', 'DELETE Preference'],
  ['replaceAdaptorPreferences', `zoneUuid: $root, inputs: [{adaptorUuid: $adaptor, ${preference}}]`, 'PUT Preference'],
  [
    'replaceDataIssue',
    'zoneUuid: $root, issueUuid: $issue, input: {title: "Look", changeVersion: $issue.version}',
    'PUT DataIssue',
    'issue',
  ],
  [
    'patchDataIssue',
    'zoneUuid: $root, issueUuid: $issue, input: {status: CLOSED, changeVersion: $issue.version}',
    'PATCH DataIssue',
  ],
  // a preview writes nothing; closed issues are logged as by patchDataIssue
  ['settleDataIssues', 'zoneUuid: $root, input: {preview: true}', undefined],
  ['deleteDataIssue', 'zoneUuid: $root, issueUuid: $issue', 'DELETE DataIssue'],
  ['createDataRecord', `input: {name: "things", json: ${json({ id: 'a' })}}`, 'POST Dr', 'record'],
  ['patchDataRecord', `drUuid: $record, patch: ${json({ a: 'x' })}`, 'PATCH Dr'],
  [
    'startReconciliation',
    'zoneUuid: $root, adaptorUuid: $adaptor, input: {domainVersionUuid: $version}',
    'POST Reconciliation',
    'reconciliation',
  ],
  [
    'cancelReconciliation',
    'zoneUuid: $root, adaptorUuid: $adaptor, reconciliationUuid: $reconciliation',
    'PUT Reconciliation',
  ],
  // no record has such an event, because a message of a redelivery does not change a resource
  [
    'startAdaptorRedelivery',
    'zoneUuid: $root, adaptorUuid: $adaptor, input: {from: "2199-01-01T00:00:00Z"}',
    'POST AdaptorRedelivery',
    'redelivery',
  ],
  [
    'cancelAdaptorRedelivery',
    'zoneUuid: $root, adaptorUuid: $adaptor, redeliveryUuid: $redelivery',
    'PUT AdaptorRedelivery',
  ],
  ...ofChain('Inbound'),
  ...ofChain('Outbound'),
  ['createOperationalAcls', 'inputs: [{name: "x", post: ALLOW}]', 'POST OperationalAcl', 'operational'],
  [
    'replaceOperationalAcl',
    'operationalAclUuid: $operational, input: {post: ALLOW, changeVersion: $operational.version}',
    'PUT OperationalAcl',
    'operational',
  ],
  [
    'patchOperationalAcl',
    'operationalAclUuid: $operational, input: {name: "y", changeVersion: $operational.version}',
    'PATCH OperationalAcl',
  ],
  ['deleteOperationalAcl', 'operationalAclUuid: $operational', 'DELETE OperationalAcl'],
  // an unfinished upload is not a resource: it belongs to its caller and is removed within an hour
  ['addUploadPart', `number: 0, content: "${bytes}"`, undefined, 'upload'],
  ['importDataRecords', 'input: {uploadUuid: $upload, format: JSON, domainName: "things"}', 'POST Dr'],
  ['removeUpload', 'uploadUuid: $spare', undefined],
  ['deleteDataRecord', 'drUuid: $record', 'DELETE Dr'],
  // a code is only shown; its use is logged
  ['createAdaptorShutdownCode', 'zoneUuid: $root, adaptorUuid: $adaptor', undefined, 'code'],
  ['shutDownAdaptor', 'zoneUuid: $root, adaptorUuid: $adaptor, code: $code', 'PUT Adaptor'],
  ['deleteAdaptor', 'zoneUuid: $root, adaptorUuid: $adaptor, force: true', 'DELETE Adaptor'],
];

const toCases = (by: MutationCase['by'], rows: Rows): (readonly [string, MutationCase])[] =>
  rows.map(([name, args, logs, keep]) => [name, { by, args, logs, ...(keep === undefined ? {} : { keep }) }] as const);

/** Every mutation of the composed schema, in an order in which each finds the resources that it needs. */
export const mutationCases: ReadonlyMap<string, MutationCase> = new Map([
  ...toCases('admin', byAdmin),
  ...toCases('dgs', bySteward),
]);
