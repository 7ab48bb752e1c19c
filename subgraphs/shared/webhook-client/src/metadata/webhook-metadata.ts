import { pointerTo } from '@fds/json';
import type { ErrorCause } from '@fds/errors';
import { headerFaults, type WebhookHeader } from '../headers/header-faults.js';
import { oauth2Faults, type OAuth2Registration } from '../oauth2/oauth2-registration.js';
import { webhookSecretFault } from '../signing/webhook-secret.js';
import { targetFault, type TargetRule } from '../target/target-fault.js';

/** Name of the adaptor type of webhook adaptors. */
export const webhookTypeName = 'Web Hook Adaptor';

/** Where and how a webhook adaptor posts. */
export interface WebhookTarget {
  readonly url: string;
  readonly headers: readonly WebhookHeader[];
  readonly oauth2Registration: OAuth2Registration | undefined;
  /** The newest first. */
  readonly secrets: readonly string[];
}

type Metadata = Readonly<Record<string, unknown>>;

const members: ReadonlySet<string> = new Set(['url', 'httpHeaders', 'oauth2Registration', 'secret']);
const maxSecrets = 4;

/** The signing secrets: one text, or a list while one is replaced. */
const secretsOf = ({ secret }: Metadata): readonly unknown[] => {
  if (secret === undefined || secret === null) return [];
  return Array.isArray(secret) ? secret : [secret];
};

const secretFaults = (metadata: Metadata, pointer: string): ErrorCause[] => {
  const secrets = secretsOf(metadata);
  const at = `${pointer}/secret`;
  const tooMany = {
    pointer: at,
    code: 'TOO_LARGE',
    detail: `secret has ${secrets.length} secrets, and may have ${maxSecrets}`,
  };
  const faults = secrets.flatMap((secret, index) => {
    const detail = webhookSecretFault(secret);
    const place = Array.isArray(metadata['secret']) ? `${at}/${index}` : at;
    return detail === undefined ? [] : [{ pointer: place, code: 'WRONG_FORMAT', detail }];
  });
  return secrets.length > maxSecrets ? [tooMany, ...faults] : faults;
};

const urlFaults = ({ url }: Metadata, pointer: string, rule: TargetRule): ErrorCause[] => {
  const at = `${pointer}/url`;
  if (url === undefined || url === null || url === '') {
    return [{ pointer: at, code: 'REQUIRED', detail: 'url is required: the address of the webhook' }];
  }
  if (typeof url !== 'string') return [{ pointer: at, code: 'INVALID_TYPE', detail: 'url must be a text' }];
  const reason = targetFault(url, rule);
  return reason === undefined ? [] : [{ pointer: at, code: 'INVALID_VALUE', detail: `url ${reason}` }];
};

/**
 * Every reason against the metadata of a webhook adaptor, with its place. The secrets are in the metadata and do not appear
 * in the faults.
 */
export const webhookMetadataFaults = (metadata: Metadata | null, pointer: string, rule: TargetRule): ErrorCause[] => {
  const given = metadata ?? {};
  const registration = given['oauth2Registration'];
  const unknown = Object.keys(given)
    .filter((name) => !members.has(name))
    .map((name) => ({
      pointer: pointerTo(pointer, name),
      code: 'UNKNOWN_PROPERTY',
      detail: `the metadata of a webhook adaptor has no ${name}`,
    }));
  return [
    ...urlFaults(given, pointer, rule),
    ...unknown,
    ...headerFaults(
      given['httpHeaders'],
      `${pointer}/httpHeaders`,
      registration !== undefined && registration !== null,
    ),
    ...oauth2Faults(registration, `${pointer}/oauth2Registration`, rule),
    ...secretFaults(given, pointer),
  ];
};

/** The target of metadata that has no faults. */
export const toWebhookTarget = (metadata: Metadata): WebhookTarget => ({
  url: metadata['url'] as string,
  headers: (metadata['httpHeaders'] ?? []) as readonly WebhookHeader[],
  oauth2Registration: (metadata['oauth2Registration'] ?? undefined) as OAuth2Registration | undefined,
  secrets: secretsOf(metadata) as readonly string[],
});
