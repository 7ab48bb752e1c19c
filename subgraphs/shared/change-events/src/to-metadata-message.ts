import type { ChangeEvent } from './change-event.js';

/** The message of a metadata notification (docs/reference/notifications.md#metadata-notification-message). */
export interface MetadataMessage {
  readonly action: ChangeEvent['action'];
  /** Absolute URI. */
  readonly resource: string;
  /** Name of the resource's type. */
  readonly type: string;
  /** Empty when the log has no data. */
  readonly data: unknown;
}

/** @param baseUrl address of the service as clients see it */
export const toMetadataMessage = (
  { action, resource, resourceType, data }: ChangeEvent,
  baseUrl: string,
): MetadataMessage => ({
  action,
  resource: `${baseUrl.replace(/\/+$/, '')}/api${resource}`,
  type: resourceType,
  data: data ?? {},
});
