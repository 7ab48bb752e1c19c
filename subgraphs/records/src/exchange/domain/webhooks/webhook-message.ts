import { isJsonObject, parseJson, stringifyJson, type JsonValue } from '@fds/json';

/** A queued data event as a webhook adaptor handles it. */
export interface WebhookMessage {
  readonly action: 'POST' | 'PUT' | 'DELETE';
  readonly drUuid: string;
  readonly domain: string;
  readonly version: number;
  readonly transactionUuid: string;
  readonly createTime: number;
  /** The data notification message (docs/reference/notifications.md#data-notification-message), as JSON text. */
  readonly body: string;
}

const members = [
  'action',
  'drUuid',
  'domainVersionUuid',
  'sourceAdaptorUuid',
  'destinationAdaptorUuid',
  'transactionUuid',
  'createTime',
  'drKey',
  'jsonData',
] as const;

/**
 * Reads the content of an outbox. `drKey` and `jsonData` are JSON-encoded texts there too, so they pass unchanged.
 *
 * @throws TypeError when the content is not a data event
 */
export const readWebhookMessage = (content: string): WebhookMessage => {
  const event = parseJson(content);
  if (!isJsonObject(event)) throw new TypeError('the outbox holds content that is not a data event');
  const notification = Object.fromEntries(members.map((name) => [name, event[name] ?? null])) satisfies JsonValue;
  const { action, drUuid, domain, version, transactionUuid, createTime } = event as unknown as WebhookMessage;
  return {
    action,
    drUuid,
    domain,
    version,
    transactionUuid,
    createTime,
    body: stringifyJson(notification),
  };
};
