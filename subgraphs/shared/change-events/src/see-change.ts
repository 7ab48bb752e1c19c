import type { Principal } from '@fds/auth';
import { maskMembers, type Visible } from '@fds/access-rules';
import { isJsonObject, type JsonObject } from '@fds/json';
import type { ChangeEvent } from './change-event.js';
import type { ChangeSubject } from './change-subject.js';
import { isNotifiedType } from './notified-types.js';
import { pathsOfChange } from './paths-of-change.js';
import { visibleOfChange } from './visible-of-change.js';

/** A receiver of changes, with the permissions that it has at delivery. */
export type ChangeReceiver = Pick<Principal, 'uuid' | 'permits' | 'dataAccess'>;

/** A registration belongs to its user: every person holds the permission on its path. */
const isOwn = ({ uuid }: ChangeReceiver, { resourceType, data }: ChangeEvent): boolean =>
  resourceType !== 'Notification' || (isJsonObject(data) && data['userUuid'] === uuid);

const mayRead = (receiver: ChangeReceiver, change: ChangeEvent): boolean =>
  isOwn(receiver, change) &&
  (pathsOfChange(change).some((path) => receiver.permits('GET', path)) ||
    // the list of records shows each of them
    (change.resourceType === 'Dr' && receiver.permits('GET', '/drs')));

const maskObject = (value: JsonObject[string], visible: Visible): JsonObject[string] =>
  isJsonObject(value) ? maskMembers(value, visible) : value;

/** An issue needs no mask: its entry in the change log holds no data of the record. */
const maskRecord = <Change extends ChangeEvent>(change: Change, visible: Visible): Change => {
  const { resourceType, data } = change;
  if (resourceType !== 'Dr' || !isJsonObject(data)) return change;
  const { drKey, json } = data;
  return {
    ...change,
    data: {
      ...data,
      ...(drKey === undefined ? {} : { drKey: maskObject(drKey, visible) }),
      ...(json === undefined ? {} : { json: maskObject(json, visible) }),
    },
  };
};

/**
 * The change as the receiver may see it: the one evaluator for webhooks, subscriptions and every other way out. The receiver needs
 * GET on the resource. The receiver's data access rules apply to records and issues as on every other door.
 *
 * @param subject found by the names that `subjectOfChange` gives
 * @returns undefined when the change is hidden from the receiver
 */
export const seeChange = <Change extends ChangeEvent>(
  receiver: ChangeReceiver,
  change: Change,
  subject: ChangeSubject,
): Change | undefined => {
  if (!isNotifiedType(change.resourceType) || !mayRead(receiver, change)) return undefined;
  const visible = visibleOfChange(receiver, change, subject);
  if (visible === undefined || visible.extent === 'ALL') return change;
  return visible.extent === 'NONE' ? undefined : maskRecord(change, visible);
};

/** May the receiver see the change? */
export const mayReceive = (receiver: ChangeReceiver, change: ChangeEvent, subject: ChangeSubject): boolean =>
  seeChange(receiver, change, subject) !== undefined;
