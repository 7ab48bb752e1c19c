import type { Change } from '@fds/database';
import type { ShownRegistration } from '../../domain/registration/registration.js';

/** The entry of the change log for a changed registration. It has no zone, because a registration belongs to its user. */
export const toLoggedRegistration = (
  action: Change['action'],
  { lastDelivery, dateCreated, lastUpdated, ...shown }: ShownRegistration,
  actorUuid: string | undefined,
): Change => ({
  action,
  resourceType: 'Notification',
  resource: `/notifications/${shown.notificationId}`,
  resourceUuid: shown.notificationId,
  ...(actorUuid === undefined ? {} : { actorUuid }),
  data: {
    ...shown,
    lastDelivery: lastDelivery?.getTime() ?? null,
    dateCreated: dateCreated.getTime(),
    lastUpdated: lastUpdated.getTime(),
  },
});
