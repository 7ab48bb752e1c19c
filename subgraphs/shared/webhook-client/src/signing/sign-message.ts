import { createHmac } from 'node:crypto';
import { secretBytes } from './webhook-secret.js';

export interface SignedMessage {
  readonly id: string;
  readonly timestamp: Date;
  readonly body: string;
  /** The newest first. Several while a secret is replaced: the message has a signature by each of them. */
  readonly secrets: readonly string[];
}

/** Standard Webhooks: HMAC-SHA256 of id, time and body. Tests compare it with the reference library. */
const signatureOf = (content: string, secret: string): string =>
  `v1,${createHmac('sha256', secretBytes(secret)).update(content).digest('base64')}`;

/** The headers of Standard Webhooks. Without a secret there is no signature. */
export const signMessage = ({ id, timestamp, body, secrets }: SignedMessage): Record<string, string> => {
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const content = `${id}.${seconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    ...(secrets.length === 0
      ? {}
      : { 'webhook-signature': secrets.map((secret) => signatureOf(content, secret)).join(' ') }),
  };
};
