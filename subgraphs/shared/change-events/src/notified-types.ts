/**
 * Names of resources in notifications (docs/reference/notifications.md#metadata-notification-message). Other entries of
 * the change log are internal.
 */
export const notifiedTypes = [
  'Zone',
  'User',
  'Group',
  'Role',
  'Permission',
  'AdaptorType',
  'Adaptor',
  'AdaptorState',
  'Domain',
  'DomainVersion',
  'InboundAcl',
  'OutboundAcl',
  'OperationalAcl',
  'DataIssue',
  'Preference',
  'Dr',
  'Notification',
] as const;

export type NotifiedType = (typeof notifiedTypes)[number];

const known: ReadonlySet<string> = new Set(notifiedTypes);

/** Does a change of this type concern receivers of notifications? */
export const isNotifiedType = (resourceType: string): resourceType is NotifiedType => known.has(resourceType);
