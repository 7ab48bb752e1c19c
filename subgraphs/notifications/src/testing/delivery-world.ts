import { logChanges, type Change } from '@fds/database';
import { v7 as newUuid } from 'uuid';
import type { TestNotifications } from './open-notifications.js';

/** A registration in the view of tests. */
export interface SeenRegistration {
  readonly notificationId: string;
  readonly callback: string;
  readonly status: string;
  readonly lastError: string | null;
  readonly lastDelivery: string | null;
  readonly secret: string | null;
  readonly waitingMessages: number;
  readonly nextAttempt: string | null;
}

const answered = <T>({ result, code }: { readonly result: T; readonly code: string | undefined }): T => {
  if (code !== undefined) throw new Error(`the answer is ${code}`);
  return result;
};

/** Registers a receiver for changes of zones. @returns uuid of the registration */
export const register = async (
  notifications: TestNotifications,
  callback: string,
  more: object = {},
  username = 'admin',
): Promise<string> => {
  const input = { callback, callbackType: 'WEB_HOOK', events: [{ resource: '/zones/?', actions: ['ALL'] }], ...more };
  answered(
    await notifications.run<boolean>(
      username,
      'mutation ($input: NotificationInput!) { result: putNotification(input: $input) }',
      { input },
    ),
  );
  return (await seeRegistration(notifications, callback, username)).notificationId;
};

/** The registration with a callback. */
export const seeRegistration = async (
  notifications: TestNotifications,
  callback: string,
  username = 'admin',
): Promise<SeenRegistration> => {
  const { data } = answered(
    await notifications.run<{ readonly data: readonly SeenRegistration[] }>(
      username,
      `{ result: notifications(size: 1000) { data {
        notificationId callback status lastError lastDelivery secret waitingMessages nextAttempt
      } } }`,
    ),
  );
  const found = data.find((each) => each.callback === callback);
  if (found === undefined) throw new Error(`nothing is registered for ${callback}`);
  return found;
};

/** Logs changes of zones, each in a separate transaction. @returns their resources */
export const changeZones = async (
  { database }: Pick<TestNotifications, 'database'>,
  count: number,
  more: Partial<Change> = {},
): Promise<string[]> => {
  const changes = Array.from({ length: count }, (_, index): Change => {
    const uuid = newUuid();
    const data = { uuid, name: `zone ${index}` };
    return {
      action: 'POST',
      resourceType: 'Zone',
      resource: `/zones/${uuid}`,
      resourceUuid: uuid,
      zoneUuid: uuid,
      data,
      ...more,
    };
  });
  for (const change of changes) await logChanges(database.pool, [change]);
  return changes.map(({ resource }) => `https://service.example/api${resource}`);
};
