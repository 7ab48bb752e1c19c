import { Webhook } from 'standardwebhooks';

export interface SignedMessage {
  readonly id: string;
  readonly timestamp: Date;
  readonly body: string;
  /** The newest first. Several while a secret is replaced: the message has a signature by each of them. */
  readonly secrets: readonly string[];
}

/** The headers of Standard Webhooks. Without a secret there is no signature. */
export const signMessage = ({ id, timestamp, body, secrets }: SignedMessage): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
  ...(secrets.length === 0
    ? {}
    : { 'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, timestamp, body)).join(' ') }),
});
