import type { JsonObject } from '@fds/json';
import type { FaultList } from '@fds/errors';
import { webhookMetadataFaults, webhookTypeName, type TargetRule } from '@fds/webhook-client';
import type { Capability } from './capabilities.js';

/** Does the service itself run the adaptors of this type? Such adaptors have no process that connects to the bus. */
export const isWebhookType = ({ name }: { readonly name: string }): boolean => name === webhookTypeName;

/**
 * Adds every fault of a webhook adaptor. The metadata contains the secrets. The faults do not.
 *
 * @param metadata in effect
 * @param own the adaptor's own capabilities; null when those of the type are effective
 */
export const addWebhookFaults = (
  metadata: JsonObject | null,
  own: readonly Capability[] | null,
  rule: TargetRule,
  faults: FaultList,
): void => {
  for (const { pointer, code, detail } of webhookMetadataFaults(metadata, '/metadata', rule)) {
    faults.add(pointer, code, detail);
  }
  for (const [index, { action }] of (own ?? []).entries()) {
    if (action === 'GET') {
      faults.add(`/capabilities/${index}/action`, 'UNKNOWN_VALUE', 'a webhook adaptor takes POST, PUT and DELETE');
    }
  }
};
