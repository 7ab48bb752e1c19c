import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signMessage } from './sign-message.js';
import { createWebhookSecret, webhookSecretFault } from './webhook-secret.js';

// the example that the Standard Webhooks specification and its libraries share
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: new Date(1_614_265_330_000),
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

describe('the signature of a webhook', () => {
  it('is that of the Standard Webhooks vector', () => {
    const { secret, id, timestamp, body, signature } = vector;
    expect(signMessage({ id, timestamp, body, secrets: [secret] })).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it.each(['', '{}', 'ä €  𝄞 \ud800', '{"n":9223372036854775807}', 'x'.repeat(100_000)])(
    'is that of the reference library: %.20s',
    (body) => {
      for (const bytes of [24, 32, 64]) {
        const secret = `whsec_${randomBytes(bytes).toString('base64')}`;
        const { id, timestamp } = vector;
        const expected = new Webhook(secret).sign(id, timestamp, body);
        expect(signMessage({ id, timestamp, body, secrets: [secret] })['webhook-signature']).toBe(expected);
      }
    },
  );

  it('is refused for a text that is not a signing secret, without the text in the error', () => {
    const sign = () => signMessage({ ...vector, secrets: ['enigma'] });
    expect(sign).toThrow(/^a signing secret must be "whsec_" and the base64/);
    expect(sign).not.toThrow(/enigma/);
  });

  it('is made by each secret while one is replaced, and each receiver verifies its own', () => {
    const [fresh, old, other] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
    const body = '{"a":1}';
    const headers = signMessage({ id: 'msg_1', timestamp: new Date(), body, secrets: [fresh, old] });
    expect(new Webhook(fresh).verify(body, headers)).toEqual({ a: 1 });
    expect(new Webhook(old).verify(body, headers)).toEqual({ a: 1 });
    expect(() => new Webhook(other).verify(body, headers)).toThrow(WebhookVerificationError);
    expect(() => new Webhook(fresh).verify(`${body} `, headers)).toThrow(WebhookVerificationError);
    expect(() => new Webhook(fresh).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow(
      WebhookVerificationError,
    );
  });

  it('is absent without a secret', () => {
    const headers = signMessage({ id: 'msg_1', timestamp: vector.timestamp, body: '', secrets: [] });
    expect(Object.keys(headers)).toEqual(['webhook-id', 'webhook-timestamp']);
  });
});

describe('a signing secret', () => {
  it('that was made or published has no fault', () => {
    expect([createWebhookSecret(), vector.secret].map(webhookSecretFault)).toEqual([undefined, undefined]);
    expect(createWebhookSecret()).not.toBe(createWebhookSecret());
  });

  it.each(['', 'enigma', 'whsec_', 'whsec_abc', 'whsec_%%%%', `whsec_${'A'.repeat(28)}`, `whsec_${'A'.repeat(88)}`, 7])(
    '%s is refused',
    (secret) => {
      expect(webhookSecretFault(secret)).toBe('must be "whsec_" and the base64 of 24 to 64 bytes');
    },
  );
});
