import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const common = { kind: 'graphql', tag: 'Notifications' } as const;
const path = '/notifications';

/** Registrations belong to the caller, not to a zone. */
export const notificationRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'listNotifications',
    summary: 'List your registrations and open websockets, the oldest first',
    query: { paged: true, filters: { type: 'type' }, options: { timeout: 'timeout' } },
    collection: 'notifications',
    status: 200,
    showsSecrets: true,
    document: `
      query listNotifications($type: NotificationType, $timeout: Int, $page: Int, $size: Int) {
        result: notifications(type: $type, timeout: $timeout, page: $page, size: $size) {
          data {
            notificationId userUuid callback callbackType events { resource actions }
            refusedEvents { resource reason } httpHeaders { name value }
            oauth2Registration {
              authorizationUri tokenUri jwkSetUri issuerUri clientId clientSecret clientAuthenticationMethod
              authorizationGrantType scope
            }
            secret status lastDelivery lastError waitingMessages nextAttempt dateCreated lastUpdated subscriptions
          }
          ${pageFields}
        }
      }`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'putNotification',
    summary: 'Create or change a registration; GET shows the outcome',
    body: { kind: 'object', variable: 'input' },
    status: 204,
    standsMissing: true,
    document: `
      mutation putNotification($input: NotificationInput!) { result: putNotification(input: $input) }`,
  },
  {
    ...common,
    method: 'DELETE',
    path: `${path}/{notificationId}`,
    operationId: 'deleteNotification',
    summary: 'Delete a registration; 204 also when it does not exist',
    status: 204,
    standsMissing: true,
    document: `
      mutation deleteNotification($notificationId: String!) {
        result: deleteNotification(notificationId: $notificationId)
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/{notificationId}/messages`,
    operationId: 'listNotificationMessages',
    summary: 'List the messages of a registration with every attempt to deliver them, the newest first',
    query: { paged: true, filters: { status: 'status', from: 'from', to: 'to' } },
    collection: 'messages',
    status: 200,
    document: `
      query listNotificationMessages(
        $notificationId: String!, $status: NotificationMessageStatus, $from: DateTime, $to: DateTime, $page: Int, $size: Int
      ) {
        result: notificationMessages(
          notificationId: $notificationId, status: $status, from: $from, to: $to, page: $page, size: $size
        ) {
          data {
            messageUuid webhookId action resource type status dateCreated settledAt
            attempts { number dateCreated milliseconds outcome httpStatus error }
          }
          ${pageFields}
        }
      }`,
  },
  {
    ...common,
    method: 'DELETE',
    path: `${path}/{notificationId}/messages/{messageUuid}`,
    operationId: 'skipNotificationMessage',
    summary: 'Take a message that waits from its queue, so that the next one is sent',
    status: 204,
    document: `
      mutation skipNotificationMessage($notificationId: String!, $messageUuid: Uuid!) {
        result: skipNotificationMessage(notificationId: $notificationId, messageUuid: $messageUuid)
      }`,
  },
  {
    ...common,
    method: 'POST',
    path: `${path}/{notificationId}/redeliveries`,
    operationId: 'redeliverNotifications',
    summary: 'Send one message again, or the messages of a time range',
    body: { kind: 'object', variable: 'input' },
    status: 202,
    document: `
      mutation redeliverNotifications($notificationId: String!, $input: RedeliveryInput!) {
        result: redeliverNotifications(notificationId: $notificationId, input: $input) { messages }
      }`,
  },
  {
    ...common,
    method: 'POST',
    path: `${path}/{notificationId}/secret`,
    operationId: 'renewNotificationSecret',
    summary: 'Replace the signing secret by a new one, which only this answer shows',
    status: 200,
    showsSecrets: true,
    document: `
      mutation renewNotificationSecret($notificationId: String!) {
        result: renewNotificationSecret(notificationId: $notificationId) { notificationId secret }
      }`,
  },
];
