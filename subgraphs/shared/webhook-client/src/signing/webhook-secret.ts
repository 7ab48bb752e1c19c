import { randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A new signing secret in the form of Standard Webhooks. */
export const createWebhookSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`;

/**
 * The reason why a text is not a signing secret, which is `whsec_` and the base64 of 24 to 64 bytes. The text is not repeated.
 *
 * @returns undefined when it is one
 */
export const webhookSecretFault = (secret: unknown): string | undefined => {
  const form = `must be "${prefix}" and the base64 of 24 to 64 bytes`;
  if (typeof secret !== 'string' || !secret.startsWith(prefix)) return form;
  const encoded = secret.slice(prefix.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return form;
  const { length } = Buffer.from(encoded, 'base64');
  return length < 24 || length > 64 ? form : undefined;
};

/** The key of a signing secret. @throws TypeError when the text is not a signing secret */
export const secretBytes = (secret: string): Buffer => {
  const fault = webhookSecretFault(secret);
  if (fault !== undefined) throw new TypeError(`a signing secret ${fault}`);
  return Buffer.from(secret.slice(prefix.length), 'base64');
};
